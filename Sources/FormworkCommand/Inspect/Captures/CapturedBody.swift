import Formwork
import FormworkURLEncoded

/// A request's body in JSON that another program wrote.
struct CapturedBody {
    var contentType: String?
    var bytes: [UInt8]
    /// The body's length, as the request says; `nil` if it doesn't.
    var length: Int128?
    /// Whether the JSON says that the body isn't encoded with base64.
    var isDeclaredText = false

    /// - Parameter what: What has the text, for errors.
    static func decode(base64 text: String, of what: String) throws(FormworkError) -> [UInt8] {
        guard let bytes = Base64.decode(String(text.filter { !$0.isWhitespace })) else {
            throw FormworkError(.malformedBody, "\(what) is declared as base64, but isn't")
        }
        return bytes
    }
}

extension CapturedBody {
    /// The body in an event of AWS API Gateway, a Lambda URL or a load balancer: base64 or text.
    /// - Returns: `nil` for other JSON.
    init?(event text: [UInt8]) throws(FormworkError) {
        guard let event = try? OrderedJSON.read(text), case .text(let body)? = event["body"],
            case .bool(let isEncoded)? = event["isBase64Encoded"]
        else { return nil }
        self.bytes = isEncoded ? try Self.decode(base64: body, of: "the event's body") : Array(body.utf8)
        self.isDeclaredText = !isEncoded
        self.contentType = Self.header("content-type", of: event)
        self.length = Self.header("content-length", of: event).flatMap { Int128($0) }
    }

    private static func header(_ name: String, of event: ParameterValue) -> String? {
        for fields in ["headers", "multiValueHeaders"] {
            guard case .object(let members)? = event[fields] else { continue }
            let value = members.first { $0.name.lowercased() == name }?.value
            if let text = value?.string ?? value?.elements?.first?.string { return text }
        }
        return nil
    }
}
