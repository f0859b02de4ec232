import Formwork
import FormworkURLEncoded

/// The request in an event of AWS API Gateway, a Lambda URL or a load balancer: JSON with the body as base64 or text.
struct GatewayEvent {
    var contentType: String?
    var body: [UInt8]
    /// The body's length, as the request says; `nil` if it doesn't.
    var length: Int128?
    /// Whether the event says that its body was encoded with base64.
    var isEncoded: Bool

    /// `nil` for other JSON.
    init?(_ text: [UInt8]) throws(FormworkError) {
        guard let event = try? OrderedJSON.read(text), case .text(let body)? = event["body"],
            case .bool(let isEncoded)? = event["isBase64Encoded"]
        else { return nil }
        self.isEncoded = isEncoded
        if isEncoded {
            guard let bytes = Base64.decode(String(body.filter { !$0.isWhitespace })) else {
                throw FormworkError(.malformedBody, "the event's body is declared as base64, but isn't")
            }
            self.body = bytes
        } else {
            self.body = Array(body.utf8)
        }
        self.contentType = Self.header("content-type", of: event)
        self.length = Self.header("content-length", of: event).flatMap { Int128($0) }
    }

    private static func header(_ name: String, of event: ParameterValue) -> String? {
        for fields in ["headers", "multiValueHeaders"] {
            guard case .object(let members)? = event[fields] else { continue }
            switch members.first(where: { $0.name.lowercased() == name })?.value {
            case .text(let text)?: return text
            case .array(let texts)?: if case .text(let text)? = texts.first { return text }
            default: continue
            }
        }
        return nil
    }
}
