#if Transfer
import FormworkCore
import FormworkDigests
import NIOCore

/// A file that the page refers to.
package struct PageAsset: Sendable {
    /// Its bytes.
    package let content: [UInt8]
    /// The same bytes in a buffer that all answers share.
    let buffer: ByteBuffer
    /// The value of Content-Type.
    package let contentType: String
    /// The value of ETag (RFC 9110, section 8.8.3): a strong one, made from the content only, so the same on every
    /// machine.
    package let etag: String

    init(_ content: [UInt8], contentType: String) {
        self.content = content
        self.buffer = ByteBuffer(bytes: content)
        self.contentType = contentType
        self.etag = "\"\(Hex.text(SHA256Digest.digest(of: content).prefix(16)))\""
    }
}
#endif
