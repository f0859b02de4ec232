import Formwork
import FormworkDigests

import FormworkEssentials

/// What messages to a hook are signed with, as the Standard Webhooks specification has it: HMAC-SHA256 of the message's id,
/// its time and its body, with dots between them.
struct HookSecret: Sendable {
    /// Why a text has no secret.
    enum Failure: Error {
        case missing
        case tooMany
        /// A line isn't base64 of 24 to 64 bytes, with or without `whsec_` in front.
        case malformed
    }

    private static let prefix = "whsec_"
    private static let most = 8

    private let keys: [[UInt8]]

    /// Reads one secret a line. A message has a signature of each, so that one can be replaced.
    init(_ text: String) throws(Failure) {
        let lines = text.split(whereSeparator: \.isNewline)
        guard !lines.isEmpty else { throw .missing }
        guard lines.count <= Self.most else { throw .tooMany }
        var keys: [[UInt8]] = []
        for line in lines {
            let word = line.hasPrefix(Self.prefix) ? line.dropFirst(Self.prefix.count) : line
            guard let bytes = Base64.decode(String(word)), (24...64).contains(bytes.count) else { throw .malformed }
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
