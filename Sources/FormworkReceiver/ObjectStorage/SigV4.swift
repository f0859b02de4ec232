import FormworkCore
import FormworkDigests
import FormworkEssentials

/// Signs requests with AWS Signature Version 4, in the `Authorization` field.
///
/// As S3 requires, the path is percent-encoded once and never normalized (Amazon S3 API Reference, "Signature
/// Calculations for the Authorization Header").
struct SigV4: Sendable {
    let credentials: AWSCredentials
    let region: String
    var service = "s3"

    /// The value of `Authorization`.
    /// - Parameters:
    ///   - path: Percent-encoded, as in the request line.
    ///   - query: The result of ``canonicalQuery(_:)``, as in the request line.
    ///   - headers: All fields to be signed, including `Host` and `X-Amz-Date`.
    ///   - payloadHash: The body's SHA-256 in hexadecimal, or `UNSIGNED-PAYLOAD`.
    ///   - timestamp: The value of `X-Amz-Date`: `20130524T000000Z`.
    func authorization(
        method: String, path: String, query: String, headers: [(name: String, value: String)], payloadHash: String,
        timestamp: String
    ) -> String {
        let canonical = headers.map { ($0.name.lowercased(), Self.trimmed($0.value)) }.sorted { $0.0 < $1.0 }
        let names = canonical.map(\.0).joined(separator: ";")
        let request = [
            method, path, query, canonical.map { "\($0.0):\($0.1)\n" }.joined(), names, payloadHash,
        ].joined(separator: "\n")
        let day = String(timestamp.prefix(8))
        let scope = "\(day)/\(self.region)/\(self.service)/aws4_request"
        let text = ["AWS4-HMAC-SHA256", timestamp, scope, Self.sha256(request)].joined(separator: "\n")
        var key = Array("AWS4\(self.credentials.secretAccessKey)".utf8)
        for part in [day, self.region, self.service, "aws4_request"] { key = Self.hmac(part, key) }
        let signature = Hex.text(Self.hmac(text, key))
        return "AWS4-HMAC-SHA256 Credential=\(self.credentials.accessKeyID)/\(scope), SignedHeaders=\(names), "
            + "Signature=\(signature)"
    }

    /// The query as it is signed and sent: encoded, and sorted by name, then value.
    static func canonicalQuery(_ items: [(name: String, value: String)]) -> String {
        items.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Percent-encodes everything except RFC 3986's unreserved characters, as UTF-8.
    static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
        let plain = (keepingSlashes ? "-_.~/" : "-_.~").utf8
        return text.utf8.reduce(into: "") { result, byte in
            if byte.isLetterOrDigit || plain.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + Hex.text([byte]).uppercased()
            }
        }
    }

    /// `20130524T000000Z`.
    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    private static func sha256(_ text: String) -> String { Hex.text(SHA256Digest.digest(of: Array(text.utf8))) }

    private static func hmac(_ text: String, _ key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array(text.utf8), key: key)
    }

    /// Removes spaces at the ends, and reduces runs of them inside to one.
    private static func trimmed(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}

/// The keys that requests are signed with.
struct AWSCredentials: Hashable, Sendable, CustomStringConvertible {
    var accessKeyID: String
    var secretAccessKey: String
    /// The token of temporary keys; `nil` for permanent ones.
    var sessionToken: String?

    /// Without the secrets, so that they don't appear in logs.
    var description: String { "access key \(self.accessKeyID)" }
}
