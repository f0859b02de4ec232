import FormworkCore

/// HMAC with SHA-256 (RFC 2104): shows that who wrote a text has the key.
package enum HMACSHA256 {
    package static let byteCount = 32

    package static func code(for text: [UInt8], key: [UInt8]) -> [UInt8] {
        let block = (key.count > 64 ? SHA256Digest.digest(of: key) : key) + [UInt8](repeating: 0, count: 64)
        let (inner, outer) = (block.prefix(64).map { $0 ^ 0x36 }, block.prefix(64).map { $0 ^ 0x5C })
        return SHA256Digest.digest(of: outer + SHA256Digest.digest(of: inner + text))
    }

    /// Needs the same time for a wrong code and for the right one. Otherwise the time would show how many bytes are right.
    package static func isValid(_ code: [UInt8], for text: [UInt8], key: [UInt8]) -> Bool {
        Self.areEqual(code, Self.code(for: text, key: key))
    }

    /// Whether two arrays are equal, after a time that depends only on their lengths.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SHA256Digest {
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = Self()
        bytes.withRawSpan { digest.update($0) }
        return digest.finalized()
    }
}
