#if Transfer
import HTTPTypes

extension Answer {
    /// An asset, or 304 for whoever has it (RFC 9110, section 13.1.2). Kept by browsers, and asked for each time, so
    /// that another version of the command has its own script at once.
    init(_ asset: PageAsset, to head: HTTPRequest) {
        let known = head.headerFields[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        let isKnown = known.contains { tag in
            let tag = tag.drop { $0 == " " }
            return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == asset.etag
        }
        self = isKnown ? Answer(.notModified) : Answer(.ok, asset.contentType, asset.buffer)
        self.fields[.eTag] = asset.etag
        self.fields[.cacheControl] = "no-cache"
    }
}
#endif
