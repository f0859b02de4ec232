#if Transfer
import HTTPTypes

extension Answer {
    /// An asset, or 304 for whoever has it (RFC 9110, section 13.1.2). Kept by browsers, and asked for each time, so
    /// that another version of the command has its own script at once.
    init(_ asset: PageAsset, to head: HTTPRequest) {
        self = head.knows(asset.etag) ? Answer(.notModified) : Answer(.ok, asset.contentType, asset.buffer)
        self.isCounted = true
        self.fields[.eTag] = asset.etag
        self.fields[.cacheControl] = "no-cache"
    }
}

extension HTTPRequest {
    /// Whether the client has what an entity tag stands for.
    func knows(_ etag: String) -> Bool {
        self.headerFields[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { tag in
            let tag = tag.drop { $0 == " " }.prefix { $0 != " " }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == etag
        }
    }
}
#endif
