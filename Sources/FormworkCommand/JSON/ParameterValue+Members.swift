#if Command
import FormworkURLEncoded

extension ParameterValue {
    /// A text, or null.
    package static func optional(_ text: String?) -> Self { text.map(Self.text) ?? .null }

    /// A number, or null.
    package static func optional(_ number: Int64?) -> Self { number.map { .integer(Int128($0)) } ?? .null }

    /// An object.
    package static func members(_ members: [(String, ParameterValue)]) -> Self {
        .object(members.map { Member($0.0, $0.1) })
    }

    /// The text; `nil` for another value. Those below are alike.
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int128? { if case .integer(let number) = self { number } else { nil } }
    var elements: [ParameterValue]? { if case .array(let elements) = self { elements } else { nil } }
}
#endif
