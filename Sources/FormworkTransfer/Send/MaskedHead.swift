#if Transfer
import Formwork
import FormworkClient
import FormworkCommand
import FormworkNIO
import HTTPTypes

/// The head of a message as HTTP/1.1 writes it. Credentials are masked.
struct MaskedHead {
    /// The first line.
    let line: String
    let fields: [(name: String, value: String)]

    init(_ request: HTTPRequest, isHTTP2: Bool) {
        self.line = "\(request.method) \(SecretText.masked(request.path ?? "/")) HTTP/\(isHTTP2 ? "2" : "1.1")"
        self.fields = [("Host", request.authority ?? "")] + request.headerFields.map(Self.masked)
    }

    init(_ response: HTTPResponse, _ version: AnswerVersion) {
        let reason = version == .http2 ? "" : response.status.reasonPhrase
        self.line = "HTTP/\(version.rawValue) \(response.status.code)" + (reason.isEmpty ? "" : " \(reason)")
        self.fields = response.headerFields.map(Self.masked)
    }

    /// All lines without their ends.
    var lines: [String] { [self.line] + self.fields.map { "\($0.name): \($0.value)" } }

    /// A field; of credentials only the scheme is shown.
    private static func masked(_ field: HTTPField) -> (name: String, value: String) {
        let name = field.name.rawName
        guard Redirection.carriesCredentials(name) else { return (name, SecretText.masked(field.value)) }
        let words = field.value.split(separator: " ", maxSplits: 1)
        let isScheme = [.authorization, .proxyAuthorization].contains(field.name) && words.count == 2
        return (name, (isScheme ? "\(words[0]) " : "") + "***")
    }
}
#endif
