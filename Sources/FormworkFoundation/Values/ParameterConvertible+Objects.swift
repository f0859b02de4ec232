import Foundation

// Foundation's classes. On Linux a value in an `Any` is either one of them or a Swift value, never both.

extension NSNumber: ParameterConvertible {
    func parameterValue(at path: ParameterPath) -> ParameterValue {
        if let decimal = self as? NSDecimalNumber { return decimal.decimalValue.parameterValue(at: path) }
        if self.holdsBool { return .bool(self.boolValue) }
        switch self.typeCode {
        case UInt8(ascii: "f"): return self.floatValue.parameterValue(at: path)
        case UInt8(ascii: "d"): return .double(self.doubleValue)
        case UInt8(ascii: "Q"): return .integer(Int128(self.uint64Value))
        default: return .integer(Int128(self.int64Value))
        }
    }

    /// Whether it was made from a `Bool`.
    ///
    /// Its type code is `c` then, but on Apple's systems also for an `Int8`: there the class decides.
    private var holdsBool: Bool {
        #if canImport(Darwin)
        CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
        self.typeCode == UInt8(ascii: "c")
        #endif
    }
}

extension NSNull: ParameterConvertible {
    func parameterValue(at path: ParameterPath) -> ParameterValue { .null }
}

extension NSString: ParameterConvertible {
    func parameterValue(at path: ParameterPath) -> ParameterValue { .text(String(describing: self)) }
}

extension NSData: ParameterConvertible {
    func parameterValue(at path: ParameterPath) -> ParameterValue { .bytes(Array(Data(referencing: self))) }
}

extension NSDate: ParameterConvertible {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        try Date(timeIntervalSinceReferenceDate: self.timeIntervalSinceReferenceDate).parameterValue(at: path)
    }
}

extension NSURL: ParameterConvertible {
    func parameterValue(at path: ParameterPath) -> ParameterValue {
        // Optional only on Apple's systems.
        let text: String? = self.absoluteString
        return .text(text ?? "")
    }
}

extension NSUUID: ParameterConvertible {
    func parameterValue(at path: ParameterPath) -> ParameterValue { .text(self.uuidString) }
}

extension NSArray: ParameterConvertible {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .array(try ParameterValue.elements(self, at: path))
    }
}

extension NSOrderedSet: ParameterConvertible {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .array(try ParameterValue.elements(self, at: path))
    }
}

extension NSSet: ParameterConvertible {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .set(try ParameterValue.sorted(self.allObjects, at: path))
    }
}

extension NSDictionary: ParameterConvertible {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .object(ParameterValue.sorted(try ParameterValue.members(self.map { ("\($0.key)", $0.value) }, at: path)))
    }
}

extension NSNumber {
    /// The Objective-C code of its original type: `c` for a Boolean, and on Apple's systems also for `Int8`.
    package var typeCode: UInt8 {
        // SAFETY: it points to a constant text of at least one letter.
        UInt8(bitPattern: unsafe self.objCType.pointee)
    }
}
