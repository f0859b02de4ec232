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
        case let value as any ParameterConvertible: self = try value.parameterValue(at: path)
        default:
            throw FormworkError(
                .invalidArgument,
                "\(path) is of type \(type), which can't be a parameter")
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
