#if Transfer
import FormworkHTTP
import HTTPTypes

/// The key that a client gives an upload which it may repeat (draft-ietf-httpapi-idempotency-key-header-07).
struct IdempotencyKey: Hashable, Sendable {
    /// Who sent it: no client gets another one's answer.
    let owner: String
    /// The field's value, unchanged: with its quotes.
    let text: String

    /// - Returns: `nil` for a request without the field.
    /// - Throws: 400 for a field that is repeated, empty, or longer than 255 bytes.
    init?(_ fields: HTTPFields, owner: String) throws(ProblemDetails) {
        let values = fields[values: .idempotencyKey]
        guard let text = values.first else { return nil }
        guard values.count == 1, (1...255).contains(text.utf8.count) else {
            throw .badRequest("Idempotency-Key: give one key of 1 to 255 bytes.")
        }
        (self.owner, self.text) = (owner, text)
    }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!  // a token
}
#endif
