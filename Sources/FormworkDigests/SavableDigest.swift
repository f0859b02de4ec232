package import FormworkCore

/// A digest that can be saved before its end, so that another process continues it.
package protocol SavableDigest: BodyDigest {
    /// Reads what ``saved`` returned; `nil` for other bytes.
    init?(saved bytes: [UInt8])

    /// The number of bytes so far.
    var byteCount: Int64 { get }
    /// The state: at most 199 bytes, with SHA-512.
    var saved: [UInt8] { get }
}
