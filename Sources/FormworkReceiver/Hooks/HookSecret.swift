import Formwork
import FormworkDigests

/// What messages to a hook are signed with, as the Standard Webhooks specification has it: HMAC-SHA256 of the message's id,
/// its time and its body, with dots between them.
struct HookSecret: Sendable {
    static let advice = "make one with 'openssl rand -base64 32'"
    private static let prefix = "whsec_"

    private let keys: [[UInt8]]

    /// Reads one secret a line. A message has a signature of each, so that one can be replaced.
    init(_ text: String) throws(SecretFault) {
        var keys: [[UInt8]] = []
        for line in try SecretFault.lines(text.split(whereSeparator: \.isNewline), most: 8, "secret", Self.advice) {
            let word = line.hasPrefix(Self.prefix) ? line.dropFirst(Self.prefix.count) : line
            guard let bytes = Base64.decode(String(word)), (24...64).contains(bytes.count) else {
                throw SecretFault(reason: "a secret is base64 of 24 to 64 bytes: \(Self.advice)")
            }
            keys.append(bytes)
        }
        self.keys = keys
    }

    /// The value of `webhook-signature`.
    /// - Parameter time: Seconds since 1970.
    func signature(id: String, time: Int64, body: [UInt8]) -> String {
        let content = Array("\(id).\(time).".utf8) + body
        return self.keys.map { "v1,\(Base64.encode(HMACSHA256.code(for: content, key: $0)))" }.joined(separator: " ")
    }
}
