import Foundation

extension ParameterValue {
    /// Converts a value of Foundation or Swift: texts, numbers, dates, URLs, data, and arrays, sets and dictionaries of
    /// them, `nil` and `NSNull` among them.
    ///
    /// A dictionary is sorted by name, because its own order differs from run to run; `KeyValuePairs` and arrays of
    /// pairs keep theirs. Dates, URLs and UUIDs become text, data becomes bytes.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for anything else, with the path to it: `user.tags[2]`;
    ///   ``FormworkError/Code/limitExceeded`` for what lies more than 512 levels deep.
    public init(_ any: Any) throws(FormworkError) { try self.init(any, at: ParameterPath()) }

    init(_ any: Any, at path: ParameterPath) throws(FormworkError) {
        // Asked for their type first: an empty array of anything can be cast to an array of pairs.
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
                "\(path) is of type \(type), which no parameter can hold")
        }
    }

    /// The value as Foundation's serializers take it: a set as `NSSet`, bytes as `Data`, of several members with one
    /// name the last.
    public var foundationObject: Any {
        switch self {
        case .null: NSNull()
        case .bool(let flag): flag
        case .integer(let number):
            Int64(exactly: number).map { $0 as Any } ?? UInt64(exactly: number).map { $0 as Any }
                ?? NSDecimalNumber(string: String(number))
        case .double(let number): number
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        case .array(let elements): elements.map(\.foundationObject)
        case .set(let elements): NSSet(array: elements.map(\.foundationObject))
        case .object(let members):
            [String: Any](members.map { ($0.name, $0.value.foundationObject) }) { _, last in last }
        }
    }
}
