import FormworkHTTP
import FormworkValues
import FormworkEssentials

/// How a request addresses its bucket.
enum S3Addressing: String, Sendable, CaseIterable {
    /// `virtual` with Amazon, if the bucket's name fits a host name; otherwise `path`.
    case automatic = "auto"
    /// `https://host/bucket/key`.
    case path
    /// `https://bucket.host/key`.
    case virtual
}

/// The address of a bucket.
struct S3Address: Sendable {
    /// `https` or `http`.
    let scheme: String
    /// With the port unless it is the scheme's default: the value of `Host`.
    let authority: String
    /// The path before the key; ends with a slash.
    let base: String
    let bucket: String

    /// - Parameter endpoint: `https://host[:port][/path]`; `nil` for Amazon's own in the region.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for an invalid address.
    init(
        endpoint: String?, region: String, bucket: String, addressing: S3Addressing = .automatic
    ) throws(FormworkError) {
        let amazon = "https://s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
        let address = endpoint ?? amazon
        guard let url = URL(text: address), url.origin != nil, let scheme = url.scheme?.lowercased(),
            let host = url.host,
            url.query == nil, url.user == nil
        else {
            throw FormworkError(
                .invalidArgument,
                "the object store's address is not http(s)://host[:port]: \(SecretText.masked(url: address))")
        }
        let isVirtual =
            switch addressing {
            case .path: false
            case .virtual: true
            // A certificate for *.host doesn't cover a bucket with a dot.
            case .automatic: endpoint == nil && !bucket.contains(".")
            }
        let port = url.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        (self.scheme, self.bucket) = (scheme, bucket)
        self.authority = (isVirtual ? "\(bucket)." : "") + name + port
        let path = url.path.split(separator: "/") + (isVirtual ? [] : [Substring(bucket)])
        self.base = "/" + path.map { SigV4.encoded(String($0)) + "/" }.joined()
    }

    /// The percent-encoded path of an object, or of the bucket without a key.
    func path(_ key: String?) -> String { self.base + SigV4.encoded(key ?? "", keepingSlashes: true) }

    /// An object of this bucket as the source of a copy: the value of `x-amz-copy-source`.
    func copySource(_ key: String) -> String {
        "/" + SigV4.encoded(self.bucket) + "/" + SigV4.encoded(key, keepingSlashes: true)
    }
}

/// `s3://bucket/prefix`: the destination of objects.
struct S3Location: Hashable, Sendable, CustomStringConvertible {
    let bucket: String
    /// Empty, or ends with a slash.
    let prefix: String

    /// - Throws: ``FormworkError/Code/invalidArgument`` for anything else.
    init(_ url: String) throws(FormworkError) {
        // Some programs accept keys in it.
        let shown = SecretText.masked(url: url)
        guard url.lowercased().hasPrefix("s3://") else {
            throw FormworkError(.invalidArgument, "not s3://bucket/prefix: \(shown)")
        }
        // Scalar by scalar, as in ``name(ofKey:)``.
        let path = url.unicodeScalars.dropFirst(5).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        self.bucket = String(path[0])
        let isName = self.bucket.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
        guard (3...255).contains(self.bucket.utf8.count), isName else {
            throw FormworkError(
                .invalidArgument,
                "a bucket's name has 3 to 255 letters, digits, dots, hyphens and underscores: \(shown)")
        }
        var parts =
            path.count > 1 ? path[1].split(separator: "/", omittingEmptySubsequences: false).map { String($0) } : []
        if parts.last?.isEmpty == true { parts.removeLast() }
        // Programs between here and the store normalize such paths, each in its own way.
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw FormworkError(.invalidArgument, "a prefix can't have empty parts, . or ..: \(shown)")
        }
        self.prefix = parts.map { "\($0)/" }.joined()
        // A key can have 1,024 bytes, and a name up to 255.
        guard self.prefix.utf8.count <= 700 else {
            throw FormworkError(.invalidArgument, "a prefix can have at most 700 bytes: \(shown)")
        }
    }

    var description: String { "s3://\(self.bucket)/\(self.prefix)" }

    /// The name below the prefix of a key; `nil` for a key elsewhere. Byte by byte: a name may begin with a mark, which is
    /// one `Character` with the slash before it.
    func name(ofKey key: String) -> String? {
        key.utf8.starts(with: self.prefix.utf8) ? String(key.utf8.dropFirst(self.prefix.utf8.count)) : nil
    }
}
