/// Secrets in texts for people, such as errors with a URL, and the heads that `send -v` shows.
///
/// Each pass reads the bytes once: a server's field may be long, and made to be slow to read.
package enum SecretText {
    /// The text with asterisks in place of user and password in URLs, of parameters that carry a credential, and of the
    /// signatures of upload links.
    package static func masked(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for find in [self.linkSignatures, self.userInfo, self.parameters] {
            bytes = self.masked(find(bytes), in: bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func masked(_ ranges: [Range<Int>], in bytes: [UInt8]) -> [UInt8] {
        guard !ranges.isEmpty else { return bytes }
        var masked: [UInt8] = []
        var end = 0
        for range in ranges {
            masked += bytes[end..<range.lowerBound]
            masked += "***".utf8
            end = range.upperBound
        }
        return masked + bytes[end...]
    }

    /// The signatures of upload links: `/.link/CLAIMS.SIGNATURE/`.
    package static func linkSignatures(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for start in self.ends(of: "/.link/", in: bytes) {
            let token = bytes[start...].prefix { $0.isLetterOrDigit || "-_.*".utf8.contains($0) }
            guard let dot = token.firstIndex(of: UInt8(ascii: ".")) else { continue }
            let signature = dot + 1..<token.endIndex
            if bytes[signature].contains(where: { $0 != UInt8(ascii: "*") }) { found.append(signature) }
        }
        return found
    }

    /// User and password of each URL that has them, also if they are empty.
    package static func userInfo(in bytes: [UInt8]) -> [Range<Int>] {
        self.ends(of: "://", in: bytes).compactMap { self.userInfo(of: bytes, from: $0) }
    }

    /// User and password of an authority that begins at `start`.
    package static func userInfo(of bytes: [UInt8], from start: Int) -> Range<Int>? {
        let authority = bytes[start...].prefix { !"/?#".utf8.contains($0) && !$0.isSpace }
        return authority.lastIndex(of: UInt8(ascii: "@")).map { start..<$0 }
    }

    /// Whether a URL, with or without a scheme, has a user or password.
    package static func hasUserInfo(url: String) -> Bool {
        url.utf8.authority.contains(UInt8(ascii: "@"))
    }

    /// Like ``masked(_:)``, for a text that should be a URL, also if it has no scheme.
    package static func masked(url: String) -> String {
        let bytes = Array(url.utf8)
        let userInfo = self.userInfo(of: bytes, from: bytes.authorityStart ?? 0)
        return self.masked(String(decoding: self.masked([userInfo].compactMap { $0 }, in: bytes), as: UTF8.self))
    }

    /// The values of parameters that carry a credential.
    private static func parameters(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var name: Int?
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case _ where "?&;".utf8.contains(byte): name = index
            case _ where byte == UInt8(ascii: "#") || byte.isSpace: name = nil
            case UInt8(ascii: "="):
                guard let start = name else { continue }
                name = nil
                let text = String(decoding: bytes[start..<index - 1], as: UTF8.self)
                guard self.isSecret(parameter: text) else { continue }
                let end = bytes[index...].firstIndex { "&#>\"".utf8.contains($0) || $0.isSpace } ?? bytes.count
                if index < end { found.append(index..<end) }
                index = end
            default: break
            }
        }
        return found
    }

    /// Where each of a text's places ends.
    private static func ends(of text: StaticString, in bytes: [UInt8]) -> [Int] {
        let wanted = Array("\(text)".utf8)
        let starts = bytes.indices.filter { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
        return starts.map { $0 + wanted.count }
    }

    /// Whether a parameter of a URL carries a credential, as far as its name shows.
    package static func isSecret(parameter name: String) -> Bool { Redirection.carriesCredentials(name) }
}

// The parts of a URL as a text that may have no scheme, or may not be a valid URL at all. By bytes: a delimiter and a
// combining mark after it are one Character.
extension BidirectionalCollection<UInt8> {
    /// Where the authority begins: after `scheme://`; `nil` for a text without a scheme. A path, a query and a fragment may
    /// have `://`, too.
    package var authorityStart: Index? {
        guard let slash = self.firstIndex(where: \.endsAuthority), self[slash] == UInt8(ascii: "/"),
            slash > self.startIndex, self[self.index(before: slash)] == UInt8(ascii: ":")
        else { return nil }
        let second = self.index(after: slash)
        guard second < self.endIndex, self[second] == UInt8(ascii: "/") else { return nil }
        return self.index(after: second)
    }

    /// The authority of a URL, with or without a scheme: user, password, host and port.
    package var authority: SubSequence {
        self[(self.authorityStart ?? self.startIndex)...].prefix { !$0.endsAuthority }
    }
}

extension UInt8 {
    fileprivate var endsAuthority: Bool {
        self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }
}
