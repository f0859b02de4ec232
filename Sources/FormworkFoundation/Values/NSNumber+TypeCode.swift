import Foundation

extension NSNumber {
    /// What it was made of, as Objective-C names types: `c` for a Boolean, and on Apple's systems for `Int8` too.
    package var typeCode: UInt8 {
        // SAFETY: a constant text of at least one letter.
        UInt8(bitPattern: unsafe self.objCType.pointee)
    }
}
