import FormworkHTTP
import FormworkEssentials

/// The terms on which an upload was accepted. A resumable upload keeps them until it is stored, whichever receiver that is.
struct UploadTerms: Codable, Hashable, Sendable {
    /// The upload link's identifier; `nil` for an upload without a link.
    var link: String?
    /// The folder below the destination for all files; `nil` for the destination itself.
    var folder: String?
    /// Bytes of all files in the folder; `nil` for no limit.
    var total: Int64?
    /// How many uploads the link accepts; `nil` for any number.
    var uses: Uses?
    /// Bytes of one file, and but for framing of the upload; `nil` for the receiver's own limit.
    var maxSize: Int64?
    /// Whether a file may replace another, in a storage that replaces files.
    var mayReplace = true
    /// The file's path, instead of its own; `nil` to keep that.
    var name: String?
    /// Stored with the object, if the storage has objects.
    var metadata: [String: String]?
    /// What the hook was asked; `nil` if there is no hook.
    var asked: HookEvent.Upload?
}

extension UploadTerms {
    /// A number of uploads, until the link expires.
    struct Uses: Codable, Hashable, Sendable {
        var count: Int64
        var expires: Int64
    }

    /// Reads the terms of a stored upload; the usual ones if it has none.
    /// - Throws: 500 for terms of another version, which may have been restrictions.
    init(stored: [UInt8]?) throws(ProblemDetails) {
        self.init()
        guard let stored else { return }
        guard let terms = try? JSONDecoder().decode(Self.self, from: Data(stored)),
            // Without its folder, it would be stored outside of it.
            terms.folder.map({ SignedLink.folders(of: $0) != nil }) ?? true
        else { throw .storageFailed }
        self = terms
    }

    /// The terms as bytes, for ``init(stored:)``.
    var stored: [UInt8] { JSONBytes.encode(self) }

    /// The path instead of the file's own.
    var path: SafePath? { self.name.flatMap { SafePath($0) } }

    /// The folder's components, outermost first.
    var folders: [SafeFilename] { self.folder.flatMap { SignedLink.folders(of: $0) } ?? [] }
}

extension ReceivingLimits {
    /// The same limits, with this many bytes of one upload at most.
    func limited(to size: Int64?) -> Self {
        guard let size else { return self }
        var limits = self
        limits.fileBytes = min(limits.fileBytes, size)
        limits.bodyBytes = min(limits.bodyBytes, size + min(SignedLink.framing, .max - size))
        return limits
    }
}

extension HookEvent.Link {
    init(_ link: SignedLink) {
        self.init(
            id: link.id, prefix: link.prefix, title: link.title, expires: link.expiry, maxSize: link.maxSize)
    }
}
