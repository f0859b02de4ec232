#if Transfer
import HTTPTypes

extension Answer {
    /// An asset, or 304 if the client has it (RFC 9110, section 13.1.2). Browsers cache it and revalidate it each time,
    /// so a new version of the command serves its own script at once.
    init(_ asset: PageAsset, to head: HTTPRequest) {
        self = head.knows(asset.etag) ? Answer(.notModified) : Answer(.ok, asset.contentType, asset.buffer)
        self.isCounted = true
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
#endif
