/// A digest that is computed while a body is read.
public protocol BodyDigest: Sendable {
    /// The algorithm's name in the Hash Algorithms registry of RFC 9530: `sha-256`, `md5`, `crc32c`.
    static var algorithm: String { get }
    /// A digest of no bytes.
    init()
    /// Adds the next bytes.
    mutating func update(_ bytes: RawSpan)
    /// The digest of all bytes so far, most significant byte first.
    func finalized() -> [UInt8]
}

/// A finished digest.
public struct DigestValue: Hashable, Sendable {
    /// The algorithm's name, as in ``BodyDigest/algorithm``.
    public var algorithm: String
    /// The digest, most significant byte first.
    public var bytes: [UInt8]

    /// A digest of an algorithm.
    public init(algorithm: String, bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Lower-case hexadecimal digits, as `sha256sum` prints them.
    public var hex: String { Hex.text(self.bytes) }
}
