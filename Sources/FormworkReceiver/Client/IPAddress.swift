import FormworkCore

/// An IP address of 4 or 16 bytes. An IPv4 address inside IPv6 (RFC 4291 section 2.5.5.2) counts as IPv4.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Parameter bytes: 4 or 16.
    init?(bytes: [UInt8]) {
        guard [4, 16].contains(bytes.count) else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// Reads an address in text form, without brackets; a zone after it is ignored. `nil` if it isn't an address.
    init?(_ text: some StringProtocol) {
        let text = text.prefix { $0 != "%" }
        guard let bytes = text.contains(":") ? Self.v6(String(text)) : Self.v4(String(text)) else { return nil }
        self.init(bytes: bytes)
    }

    /// The key by which limits count: a whole IPv4 address, or the first 64 bits of an IPv6 address. A machine can have
    /// as many IPv6 addresses as it likes within its network.
    var key: String {
        self.bytes.prefix(self.bytes.count == 4 ? 4 : 8).map { String($0, radix: 16) }.joined(separator: ".")
    }

    private static func v4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt8? in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(\.isDigit) ? UInt8(part) : nil
        }
        return bytes.count == 4 ? bytes : nil
    }

    private static func v6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return nil }
        var groups: [[UInt8]] = []
        for half in halves {
            guard let bytes = self.groups(half) else { return nil }
            groups.append(bytes)
        }
        guard groups.count == 2 else { return groups.first?.count == 16 ? groups.first : nil }
        let missing = 16 - groups[0].count - groups[1].count
        return missing >= 2 ? groups[0] + [UInt8](repeating: 0, count: missing) + groups[1] : nil
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let last = self.v4(String(part)) else { return nil }
                bytes += last
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.hexDigit != nil }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}

/// Addresses with the same first bits: `10.0.0.0/8`, `fd00::/8`, or one address.
struct AddressBlock: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// `nil` if it isn't a block of addresses.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        self.address = address
        guard parts.count == 2 else {
            self.bits = address.bytes.count * 8
            return
        }
        guard let bits = UInt8(parts[1]), parts[1].first != "+", Int(bits) <= address.bytes.count * 8 else {
            return nil
        }
        self.bits = Int(bits)
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == self.address.bytes.count else { return false }
        return zip(self.address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let rest = min(8, max(0, self.bits - index * 8))
            let mask = rest == 0 ? 0 : UInt8.max << (8 - UInt8(rest))
            return pair.0 & mask == pair.1 & mask
        }
    }
}
