extension ParameterValue: CustomStringConvertible {
    /// The literal that makes the value: `["tags": ["sea", "fog"], "page": 2]`. Bytes, which have no literal, are shown as
    /// their number, and levels after the 64th as `…`.
    public var description: String { self.text(levels: 64) }

    private func text(levels: Int) -> String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let text): text.debugDescription
        case .bytes(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
        case .set(let elements): "set " + Self.array(elements).text(levels: levels)
        case .array where levels == 0, .object where levels == 0: "…"
        case .array(let elements): Self.list(elements.map { $0.text(levels: levels - 1) })
        case .object([]): "[:]"
        case .object(let members):
            Self.list(members.map { "\($0.name.debugDescription): \($0.value.text(levels: levels - 1))" })
        }
    }

    private static func list(_ texts: [String]) -> String { "[" + texts.joined(separator: ", ") + "]" }
}
