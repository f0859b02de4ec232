import Foundation

extension NSNumber {
    /// The Objective-C code of its original type: `c` for a Boolean, and on Apple's systems also for `Int8`.
    package var typeCode: UInt8 {
        // SAFETY: it points to a constant text of at least one letter.
        UInt8(bitPattern: unsafe self.objCType.pointee)
    }
}
