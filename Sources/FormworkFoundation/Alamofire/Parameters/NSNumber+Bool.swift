import Foundation

extension NSNumber {
    /// Whether it was made of a Boolean. Its type code says so, which on Apple's systems is that of `Int8` too.
    var isBool: Bool {
        // SAFETY: the code is a constant text of the number's type.
        unsafe String(cString: self.objCType) == "c"
    }
}
