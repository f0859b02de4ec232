import FormworkDigests
import FormworkEssentials
import FormworkSystem

/// The state that a later process needs to resume an upload: its URL, and how to make the same bytes again.
///
/// It contains neither the arguments nor any content: the later process gets the same arguments, and ``plan(from:)``
/// gives it the original boundaries and file states. A client that knows the upload's URL can add to it, so only this
/// user may read the file.
package struct ResumableState: Codable, Sendable, Hashable {
    /// A file of the body, as it was when the upload began.
    struct File: Codable, Sendable, Hashable {
        var path: String
        /// The first byte that is sent.
        var offset: Int64
        var length: Int64
        var fingerprint: FileFingerprint
    }

    /// The result of ``key(url:method:plan:)``, which is the same for the same arguments.
    package var key: String
    /// The URL that the body is sent to.
    package var url: String
    var uploadURL: String
    var uploadProtocol: ResumableProtocol
    /// Whether the upload is the form's only file, and not the encoded form; `nil` for no.
    var isFile: Bool?
    /// The boundaries of the body and of nested multipart parts, in the order in which they begin.
    var boundaries: [String]
    /// Bytes of the body; `nil` if only its end shows them.
    var length: Int64?
    var files: [File]
    var created: Date
    /// When the upload expires on the server; `nil` if the server doesn't say.
    var expires: Date?

    /// - Throws: ``FormworkError/Code/notReplayable`` for a body that a later process can't create again.
    package init(
        _ link: SavedUpload, url: String, method: HTTPRequest.Method, plan: BodyPlan, now: Date = Date()
    ) throws(FormworkError) {
        let description = try plan.describe()
        self.key = try Self.key(url: url, method: method, description)
        self.url = url
        self.uploadURL = link.url
        self.uploadProtocol = link.uploadProtocol
        self.isFile = link.isFile ? true : nil
        self.length = plan.contentLength
        // The file has whole seconds, as RFC 3339 writes them.
        let created = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        self.created = created
        self.expires =
            link.limits.maxAge.map { created.addingTimeInterval(Double($0)) }
            ?? link.expires.flatMap(HTTPDate.seconds).map { Date(timeIntervalSince1970: Double($0)) }
        (self.boundaries, self.files) = ([], [])
        var walk = description
        walk.visit { framing in
            self.boundaries.append(framing.boundary.text)
        } file: { content in
            guard case .file(let path, let offset, let length, let fingerprint) = content else { return }
            self.files.append(File(path: path, offset: offset, length: length, fingerprint: fingerprint))
        }
    }

    /// The upload to resume; `nil` if its URL is invalid.
    package var link: SavedUpload? {
        (try? HTTPRequest(to: self.uploadURL)).map { target in
            SavedUpload(url: target.urlText, uploadProtocol: self.uploadProtocol, isFile: self.isFile ?? false)
        }
    }

    /// Whether the upload has expired on the server.
    package func isExpired(now: Date = Date()) -> Bool { self.expires.map { $0 <= now } ?? false }

    /// The original body, from a plan made now with the same arguments.
    /// - Throws: ``FormworkError/Code/sourceChanged`` if a file has changed, or the arguments differ.
    package func plan(from fresh: BodyPlan) throws(FormworkError) -> BodyPlan {
        var description = try fresh.describe()
        var boundaries = self.boundaries[...]
        var files = self.files[...]
        var isSame = true
        description.visit { framing in
            guard let text = boundaries.popFirst(), let boundary = try? Boundary(text) else {
                isSame = false
                return
            }
            framing.boundary = boundary
        } file: { content in
            guard case .file(let path, _, _, _) = content, let file = files.popFirst(), file.path == path else {
                isSame = false
                return
            }
            content = .file(
                path: file.path, offset: file.offset, length: file.length, fingerprint: file.fingerprint)
        }
        guard isSame, boundaries.isEmpty, files.isEmpty else { throw Self.otherForm }
        let form = description.form
        let plan: BodyPlan
        if fresh.isForm {
            plan = try form.plan()
        } else {
            guard let part = form.parts?.first else { throw Self.otherForm }
            plan = try BodyPlan(content: part.source, contentType: fresh.contentType)
        }
        guard plan.contentLength == self.length else { throw Self.otherForm }
        return plan
    }

    private static var otherForm: FormworkError {
        FormworkError(
            .sourceChanged, "the form differs from the one whose upload began: give the same parts, or start again")
    }

    /// Identifies an upload: the SHA-256 of its destination and its form, without boundaries, and without the sizes and
    /// times of files.
    /// - Throws: ``FormworkError/Code/notReplayable`` as in ``init(_:url:method:plan:now:)``.
    package static func key(
        url: String, method: HTTPRequest.Method, plan: BodyPlan
    ) throws(FormworkError) -> String {
        try self.key(url: url, method: method, try plan.describe())
    }

    private static func key(
        url: String, method: HTTPRequest.Method, _ description: PlanDescription
    ) throws(FormworkError) -> String {
        var description = description
        let unmoved = try Boundary("x")
        description.visit {
            $0.boundary = unmoved
        } file: { content in
            guard case .file(let path, let offset, _, _) = content else { return }
            let nothing = FileFingerprint(size: 0, modified: FileTime(seconds: 0, nanoseconds: 0), ends: 0)
            content = .file(path: path, offset: offset, length: 0, fingerprint: nothing)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            let bytes = Array("\(method.rawValue) \(url)\n".utf8) + Array(try encoder.encode(description))
            var digest = SHA256Digest()
            bytes.withBytes { digest.update($0) }
            return DigestValue(algorithm: SHA256Digest.algorithm, bytes: digest.finalized()).hex
        } catch {
            throw FormworkError(.invalidArgument, "The form can't be described.", cause: error)
        }
    }
}

extension ResumableState {
    private static let malformed = "isn't an upload's state, or is damaged: name another file, or delete it"

    /// Reads a saved state; `nil` if the file doesn't exist, or is empty, as `mktemp` makes one.
    /// - Throws: `sourceUnavailable` for a file that can't be read, or doesn't contain a state.
    package init?(file path: FilePath) throws(FormworkError) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path.string)) } catch {
            if (error as? CocoaError)?.code == .fileReadNoSuchFile { return nil }
            throw FormworkError(
                .sourceUnavailable, Self.malformed, path: path.string,
                cause: error)
        }
        guard !data.isEmpty else { return nil }
        do throws(FormworkError) { try self.init(Array(data)) } catch {
            var error = error
            (error.message, error.path) = (Self.malformed, path.string)
            throw error
        }
    }

    /// Whether a file is what a crash or a full disk may leave of a state: its beginning, or zeros.
    package static func isRemnant(_ path: FilePath) -> Bool {
        guard let bytes = try? BodyPlan(copying: .file(path)).makeReader().read(upTo: 64), !bytes.isEmpty else {
            return false
        }
        let start = Array("{\n  \"boundaries\" : [".utf8)
        return bytes.starts(with: start) || start.starts(with: bytes) || bytes.allSatisfy { $0 == 0 }
    }

    /// Reads a state made by ``bytes()``.
    /// - Throws: `sourceUnavailable` for anything else.
    init(_ bytes: [UInt8]) throws(FormworkError) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do { self = try decoder.decode(Self.self, from: Data(bytes)) } catch {
            throw FormworkError(
                .sourceUnavailable, "the upload's saved state can't be read: discard it to start again", cause: error)
        }
    }

    /// The state to save.
    func bytes() throws(FormworkError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        do { return Array(try encoder.encode(self)) } catch {
            throw FormworkError(.writeFailed, "the upload's state can't be written", cause: error)
        }
    }

    /// Saves the state in one step, readable by this user only.
    /// - Throws: `writeFailed`.
    package func write(to path: FilePath) throws(FormworkError) {
        try AtomicFile.writePrivate(try self.bytes(), to: path)
    }

    /// Removes a saved state, if there is one.
    package static func remove(_ path: FilePath) { AtomicFile.remove(path) }
}

extension PlanDescription {
    /// Visits every framing and every file in the order in which they are sent, to read or change them.
    mutating func visit(_ framing: (inout MultipartFraming) -> Void, file: (inout Content) -> Void) {
        framing(&self.framing)
        for index in self.parts.indices { self.parts[index].visit(framing, file: file) }
    }
}

extension PlanDescription.Part {
    fileprivate mutating func visit(
        _ framing: (inout MultipartFraming) -> Void, file: (inout PlanDescription.Content) -> Void
    ) {
        for index in self.content.indices {
            switch self.content[index] {
            case .multipart(var inner, var parts):
                let old = inner.boundary.text
                framing(&inner)
                // The part's own type contains the boundary too.
                let new = inner.boundary.text
                self.header.contentType = self.header.contentType?.replacing(old, with: new)
                self.type.mediaType = self.type.mediaType?.replacing(old, with: new)
                for index in parts.indices { parts[index].visit(framing, file: file) }
                self.content[index] = .multipart(framing: inner, parts: parts)
            case .file: file(&self.content[index])
            case .text, .bytes, .synthetic: break
            }
        }
    }
}
