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
