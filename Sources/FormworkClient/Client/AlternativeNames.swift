/// The names in a certificate's extension *subject alternative name* (RFC 5280 section 4.2.1.6).
///
/// NIO reads them only for itself. BoringSSL has parsed the certificate before, so one that can't be read has no names here.
struct AlternativeNames {
    /// Names of hosts, which may begin with `*.`.
    private(set) var hosts: [ArraySlice<UInt8>] = []
    /// Addresses, 4 or 16 bytes each.
    private(set) var addresses: [ArraySlice<UInt8>] = []
    /// Whether there is no name of any kind.
    private(set) var isEmpty = true

    /// 2.5.29.17.
    private static let identifier: [UInt8] = [0x55, 0x1D, 0x11]

    /// - Parameter certificate: In DER.
    init(of certificate: [UInt8]) {
        var file = DERElements(certificate[...])
        guard var signed = file.next(0x30), let fields = signed.next(0x30) else { return }
        for case (0xA3, var outer) in fields {
            guard let extensions = outer.next(0x30) else { continue }
            for case (0x30, var parts) in extensions {
                guard let identifier = parts.next(0x06), identifier.bytes.elementsEqual(Self.identifier) else {
                    continue
                }
                for case (0x04, var value) in parts { self.add(value.next(0x30)) }
            }
        }
    }

    private mutating func add(_ names: DERElements?) {
        guard let names else { return }
        for (tag, name) in names {
            self.isEmpty = false
            switch tag {
            case 0x82: self.hosts.append(name.bytes)
            case 0x87: self.addresses.append(name.bytes)
            default: break
            }
        }
    }
}

/// The elements of a value in DER (ITU-T X.690), one after the other.
private struct DERElements: Sequence, IteratorProtocol {
    let bytes: ArraySlice<UInt8>
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, self.rest) = (bytes, bytes) }

    /// The next element's tag and content; `nil` at the end, and for what isn't DER.
    mutating func next() -> (tag: UInt8, content: DERElements)? {
        guard let tag = self.rest.popFirst(), let first = self.rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let digits = self.rest.prefix(count & 0x7F)
            // Certificates are shorter than 2^24 bytes.
            guard (1...3).contains(digits.count), digits.count == count & 0x7F else { return nil }
            self.rest = self.rest.dropFirst(digits.count)
            count = digits.reduce(0) { $0 << 8 | Int($1) }
        }
        guard count <= self.rest.count else { return nil }
        defer { self.rest = self.rest.dropFirst(count) }
        return (tag, DERElements(self.rest.prefix(count)))
    }

    /// The next element's content, if it has this tag.
    mutating func next(_ tag: UInt8) -> DERElements? {
        guard let element = self.next(), element.tag == tag else { return nil }
        return element.content
    }
}
