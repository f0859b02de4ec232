import FormworkSystem

/// An IP address of 4 or 16 bytes. An IPv4 address inside IPv6 (RFC 4291 section 2.5.5.2) counts as IPv4.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// Reads an address in text form, without brackets; a zone after it is ignored. `nil` if it isn't an address.
    init?(_ text: some StringProtocol) {
        guard let bytes = AddressText.bytes(String(text.prefix { $0 != "%" })) else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// The key by which limits count: a whole IPv4 address, or the first 64 bits of an IPv6 address. A machine can have
    /// as many IPv6 addresses as it likes within its network.
    var key: String {
        self.bytes.prefix(self.bytes.count == 4 ? 4 : 8).map { String($0, radix: 16) }.joined(separator: ".")
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
