import FormworkCore
import FormworkDigests
import HTTPTypes
import NIOCore

/// A file that the page refers to.
struct PageAsset: Sendable {
    /// Its bytes.
    let content: [UInt8]
    /// The same bytes in a buffer that all answers share.
    let buffer: ByteBuffer
    /// The value of Content-Type.
    let contentType: String
    /// The value of ETag (RFC 9110, section 8.8.3): a strong one, made from the content only, so the same on every
    /// machine.
    let etag: String

    init(_ content: [UInt8], contentType: String) {
        self.content = content
        self.buffer = ByteBuffer(bytes: content)
        self.contentType = contentType
        self.etag = "\"\(Hex.text(SHA256Digest.digest(of: content).prefix(16)))\""
    }
}

extension ServiceResponse {
    /// An asset, or 304 if the client has it (RFC 9110, section 13.1.2). Browsers cache it and revalidate it each time,
    /// so a new version of the command serves its own script at once.
    init(_ asset: PageAsset, to head: HTTPRequest) {
        self =
            head.knows(asset.etag)
            ? ServiceResponse(.notModified) : ServiceResponse(.ok, asset.contentType, asset.buffer)
        self.isShared = true
        self.fields[.eTag] = asset.etag
        self.fields[.cacheControl] = "no-cache"
    }
}

extension HTTPRequest {
    /// Whether the client has the content with this entity tag.
    func knows(_ etag: String) -> Bool {
        self.headerFields[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { tag in
            let tag = tag.drop { $0 == " " }.prefix { $0 != " " }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == etag
        }
    }
}

/// What a page shows.
struct PageState: Sendable {
    /// Which page it is.
    enum View: Sendable {
        /// The form, and the files that have arrived. `received` contains the numbers of the arrivals of the form just
        /// sent; empty otherwise.
        case uploads(received: ArrivalNumbers)
        /// The login page: a form that POSTs `token` to `/login`, and why the last one was refused.
        case login(refusal: String?)
        /// A request was refused, or failed.
        case problem(ProblemDetails)
    }

    /// Where the page is.
    struct Address: Sendable {
        /// The receiver's address, as this client uses it: `http://127.0.0.1:8080`.
        var origin: String
        /// The path of the page's style and script, and of the login, with a slash at both ends.
        var root = "/"
        /// The path of the page and of everything but its style and script, with a slash at its end: `/`, or that of an
        /// upload link.
        var base = "/"
    }

    var view: View
    var limits: ReceivingLimits
    /// The newest last; empty on pages that need no token.
    var arrivals: [Arrival]
    var address: Address
    /// Whether the folders of files are kept.
    var keepsPaths = true
    /// When the link expires: RFC 3339, in UTC; `nil` without a link.
    var expiry: String?
    /// Whether uploads need a token.
    var needsToken: Bool
    /// Whether the client is logged in, and can log out with a POST to `/logout`.
    var isLoggedIn = false
    /// Whether the script can resume an upload that was cut.
    var isResumable = false
    var settings = PageSettings()
}
