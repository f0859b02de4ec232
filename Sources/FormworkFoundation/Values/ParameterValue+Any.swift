import Foundation

extension ParameterValue {
    /// Converts a value of Foundation or Swift: texts, numbers, dates, URLs, data, `nil` and `NSNull`, and arrays, sets
    /// and dictionaries of them.
    ///
    /// A dictionary is sorted by name, because its own order differs from run to run; `KeyValuePairs` and arrays of
    /// pairs keep theirs. Dates, URLs and UUIDs become text, data becomes bytes.
    ///
    /// On Linux, Foundation overflows the stack when it returns an element of an `NSArray`, `NSSet` or `NSDictionary` with more
    /// than about ten thousand levels. That can't be refused here: its levels can't be counted without asking for elements.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for any other value, with its path: `user.tags[2]`;
    ///   ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    public init(_ any: Any) throws(FormworkError) { try self.init(any, at: ParameterPath()) }

    init(_ any: Any, at path: ParameterPath) throws(FormworkError) {
        // The type is checked too, because an empty array of any type can be cast to an array of pairs.
        let type = type(of: any)
        switch any {
        case let pairs as [(String, Any)] where type == [(String, Any)].self:
            self = .object(try Self.members(pairs, at: path))
        case let pairs as [(key: String, value: Any)] where type == [(key: String, value: Any)].self:
            self = .object(try Self.members(pairs.map { ($0.key, $0.value) }, at: path))
        // Containers come first: a cast to a class converts all that is in them, and calls itself for each level.
        case let container as any ParameterContainer: self = try container.parameterValue(at: path)
        case let value as ParameterValue: self = value
        case let text as any StringProtocol: self.init(text)
        // A Swift number is no NSNumber yet, which would forget its type.
        case let number as any BinaryInteger: self = .integer(try Self.integer(number, at: path))
        case let number as any BinaryFloatingPoint: self.init(number)
        case let number as NSNumber: self.init(object: number)
        // Foundation's classes are cast to Swift's types.
        case let data as Data: self = .bytes(Array(data))
        case let date as Date: self = .text(try Self.text(of: date, at: path))
        case let url as URL: self = .text(url.absoluteString)
        case let uuid as UUID: self = .text(uuid.uuidString)
        case let character as Character: self = .text(String(character))
        case let text as NSString: self = .text(String(describing: text))
        case is NSNull: self = .null
        default:
            throw FormworkError(
                .invalidArgument,
                "\(path) is of type \(type), which can't be a parameter")
        }
    }

    private static func integer(_ number: some BinaryInteger, at path: ParameterPath) throws(FormworkError) -> Int128 {
        if let number = Int128(exactly: number) { return number }
        throw FormworkError(.invalidArgument, "\(path) is \(number), which doesn't fit into a signed 128-bit integer")
    }

    /// Its description: `2001-01-01 00:02:03 +0000`.
    private static func text(of date: Date, at path: ParameterPath) throws(FormworkError) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        // Foundation describes no date outside its calendar: "<description unavailable>".
        guard FormDateFormat.iso8601.text(secondsSince2001: seconds) == nil else { return date.description }
        throw FormworkError(
            .invalidArgument,
            "\(path) is a Date \(seconds) s after 2001: only the years 0 to 9999 are written")
    }

    /// A Bool, or a number: a whole one if it is one. A decimal number that isn't has its text, with all digits.
    private init(object number: NSNumber) {
        if let decimal = (number as? NSDecimalNumber)?.decimalValue {
            self = Int128(decimal.description).map { .integer($0) } ?? .text(decimal.description)
        } else if number.holdsBool {
            self = .bool(number.boolValue)
        } else {
            switch number.typeCode {
            case UInt8(ascii: "f"): self.init(number.floatValue)
            case UInt8(ascii: "d"): self = .double(number.doubleValue)
            case UInt8(ascii: "Q"): self.init(number.uint64Value)
            default: self.init(number.int64Value)
            }
        }
    }

    /// The value for Foundation's serializers: a set as `NSSet`, bytes as `Data`, and the last of several members with
    /// the same name.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    public var foundationObject: Any {
        get throws(FormworkError) { try self.foundationObject(depth: 0) }
    }

    private func foundationObject(depth: Int) throws(FormworkError) -> Any {
        guard depth <= Nesting.limit else {
            throw FormworkError(.limitExceeded, "the value nests deeper than \(Nesting.limit) levels")
        }
        func object(_ value: ParameterValue) throws(FormworkError) -> Any {
            try value.foundationObject(depth: depth + 1)
        }
        switch self {
        case .null: return NSNull()
        case .bool(let flag): return flag
        case .integer(let number):
            return Int64(exactly: number).map { $0 as Any } ?? UInt64(exactly: number).map { $0 as Any }
                ?? NSDecimalNumber(string: String(number))
        case .double(let number): return number
        case .text(let text): return text
        case .bytes(let bytes): return Data(bytes)
        case .array(let elements): return try elements.map(object)
        case .set(let elements): return NSSet(array: try elements.map(object))
        case .object(let members):
            var result: [String: Any] = [:]
            for member in members { result[member.name] = try object(member.value) }
            return result
        }
    }
}

extension NSNumber {
    /// Whether it was made from a `Bool`.
    ///
    /// Its type code is `c` then, but on Apple's systems also for an `Int8`: there the class decides.
    fileprivate var holdsBool: Bool {
        #if canImport(Darwin)
        CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
        self.typeCode == UInt8(ascii: "c")
        #endif
    }

    /// The Objective-C code of its original type: `c` for a Boolean, and on Apple's systems also for `Int8`.
    package var typeCode: UInt8 {
        // SAFETY: it points to a constant text of at least one letter.
        UInt8(bitPattern: unsafe self.objCType.pointee)
    }
}
