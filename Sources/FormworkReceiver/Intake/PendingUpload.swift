import Formwork
import FormworkDigests
import FormworkNIO
import FormworkResumable
import NIOCore

/// One upload while its body is read. Its files appear together when it ends, or not at all.
struct PendingUpload {
    private struct Entry {
        var upload: any StorageUpload
        var file: UploadReceipt.File
        var arrival: Int
    }

    /// A form's large files aren't those that were found while it arrived.
    struct OtherFiles: Error {}

    private let upload: IncomingUpload
    private let intake: UploadIntake
    private let context: UploadContext
    /// The form whose ``StoredForm/rest`` is read; `nil` for another body.
    private var form: StoredForm?
    /// The number of files whose bytes weren't in the body that was read, but are known.
    private var foundElsewhere = 0
    private var entries: [Entry] = []
    private var fields: [FormFields.Arrived] = []
    private var receipt = UploadReceipt()
    /// The state of ``UploadReceipt/fingerprint``; `nil` for none.
    private var fingerprint: SHA256Digest?
    /// Its part of all that may be stored; `nil` for no limit.
    private var share: StoredTotals.Claim?
    /// Whether the storage is publishing the files. If that fails, the storage removes them itself.
    private var isPublishing = false

    /// - Throws: 412 for a condition that the upload's terms don't allow.
    init(_ upload: IncomingUpload, _ intake: UploadIntake, _ context: UploadContext) throws(ProblemDetails) {
        guard upload.terms.mayReplace || upload.condition != .isTaken else {
            throw .preconditionFailed("Files aren't replaced by this upload, so If-Match can't be used.")
        }
        (self.upload, self.intake, self.context) = (upload, intake, context)
        self.share = intake.share(upload.terms)
        if intake.isComparing || context.run != nil { self.fingerprint = SHA256Digest() }
    }

    /// Reads a body, and removes all of its files after an error.
    func run<Result>(_ body: (inout PendingUpload) async throws -> Result) async throws -> Result {
        var pending = self
        do { return try await body(&pending) } catch {
            await pending.abandon()
            throw error
        }
    }

    private var limits: ReceivingLimits { self.intake.limits.limited(to: self.upload.terms.maxSize) }

    // MARK: Bodies

    /// Stores a file that is a whole body, which is complete.
    /// - Returns: `nil` if its bytes must be read.
    mutating func place(_ stored: StoredBody) async throws -> UploadReceipt? {
        guard case .file(let path, let type) = self.upload.content, self.upload.digests.isEmpty else { return nil }
        let digest = stored.digests.first { $0.algorithm == SHA256Digest.algorithm }
        guard digest != nil || !self.needsDigest else { return nil }
        let content = stored.file.map { FileContent.slices([$0.whole]) } ?? stored.upload.map { .upload($0, nil) }
        guard let content else { return nil }
        try self.checkSize(stored.length)
        let file = try self.wholeFile(path, type, length: stored.length)
        try await self.store(stored.content, from: content, file, size: stored.length, sha256: digest?.hex)
        return try await self.publish(FormFields(self.upload.metadata))
    }

    /// Whether it is a form whose large files needn't be read if it is known where they are.
    func isPlaceable(_ stored: StoredBody) -> Bool {
        guard case .parts(_, isForm: true) = self.upload.content else { return false }
        return self.upload.digests.isEmpty && stored.length <= self.limits.bodyBytes
    }

    /// Stores the files of a body.
    /// - Parameter form: The form whose ``StoredForm/rest`` it is.
    mutating func take<Body: AsyncSequence & Sendable>(
        _ body: Body, of form: StoredForm? = nil
    ) async throws -> UploadReceipt where Body.Element == ByteBuffer {
        self.form = form
        let (storage, room) = (self.intake.storage, form?.copiedBytes ?? self.upload.length ?? 0)
        // A form's files have less, but it isn't known how much.
        let framing = if case .file = self.upload.content { Int64(0) } else { SignedLink.framing }
        try await StorageProblem.marking { [share = self.share] in
            try await storage.room(for: .files(room))
            try await share?.check(max(0, room - framing))
        }
        let fields: FormFields
        if self.upload.digests.isEmpty {
            fields = try await self.read(body)
            if let form, self.foundElsewhere != form.files.count { throw OtherFiles() }
        } else {
            let checked = CheckedBody(body, BodyCheck(self.upload.digests), limit: self.limits.bodyBytes)
            fields = try await self.read(checked.chunks)
            try await checked.finish()
        }
        return try await self.publish(fields)
    }

    /// Reads a body; its files aren't visible yet.
    /// - Returns: The fields of a form, or what the client said of the file.
    private mutating func read<Body: AsyncSequence & Sendable>(
        _ body: Body
    ) async throws -> FormFields where Body.Element == ByteBuffer {
        switch self.upload.content {
        case .parts(let type, let isForm):
            let lease = ReceiverMemory.Lease(of: self.intake.memory)
            self.receipt.memory = lease
            try await self.takeParts(body, Level(contentType: type, isForm: isForm), lease)
            try FormFields.checkNoDelimiter(in: self.fields, of: type)
            return try FormFields(self.fields, limit: self.limits.allFieldBytes, lease)
        case .file(let path, let type):
            try await self.store(body, try self.wholeFile(path, type, length: self.upload.length))
            let size = self.entries.last?.file.size ?? 0
            if let length = self.upload.length, size != length {
                throw FormworkError(.truncatedBody, "The body has \(size, "byte") of the announced \(length).")
            }
            return FormFields(self.upload.metadata)
        }
    }

    /// A multipart body, or a part that is a multipart body.
    private struct Level {
        var contentType: String
        var isForm: Bool
        /// The offset of its first byte in the whole body.
        var start: Int64 = 0
        /// The field that contains it; `nil` for the body itself.
        var field: String?
        var depth = 0

        /// RFC 7578 §4.3 describes one level, for several files of a field, and deprecates it.
        static let maximumDepth = 3
    }

    private mutating func takeParts<Body: AsyncSequence & Sendable>(
        _ body: Body, _ level: Level, _ lease: ReceiverMemory.Lease
    ) async throws where Body.Element == ByteBuffer {
        let isPlainForm = level.isForm && level.depth == 0
        let parts = try ReceivedParts(
            body, contentType: level.contentType, profile: isPlainForm ? .default : .generic,
            limits: self.limits.parsing)
        for try await part in parts {
            let (field, start) = (level.field ?? part.name, level.start + part.contentOffset)
            if let field { try lease.hold(field.utf8.count + field.escapingCost) }
            if !part.isFile, level.depth < Level.maximumDepth, part.isMixed {
                // Several files of one field (RFC 7578 §4.3), or the parts of a mixed body: both are stored as files.
                try part.limit(to: self.limits.bodyBytes)
                let chunks = Unfolded(()) { _ -> ByteBuffer? in
                    var content = part.rest.content.makeAsyncIterator()
                    return try await content.next()
                }
                let inner = Level(
                    contentType: part.contentType ?? "", isForm: level.isForm, start: start, field: field,
                    depth: level.depth + 1)
                try await self.takeParts(chunks, inner, lease)
            } else if part.isFile || !level.isForm {
                try await self.takeFile(part, field: field, start)
            } else {
                var bytes: [UInt8] = []
                // The parser limits how many bytes there may be.
                for try await buffer in part.content {
                    try lease.hold(buffer.readableBytes)
                    bytes += buffer.readableBytesView
                }
                self.note("field", field ?? "", part.contentType ?? "", bytes: bytes)
                self.fields.append(
                    FormFields.Arrived(index: part.index, header: part.header, name: field ?? "", bytes: bytes))
                guard self.fields.count <= self.limits.fields else {
                    throw ParsingFailure(.fieldsLimit, limit: Int64(self.limits.fields)).error(
                        "The body has more than \(self.limits.fields, "field").", at: nil)
                }
            }
        }
    }

    /// - Parameter start: The offset of its content in the whole body.
    private mutating func takeFile<Body: AsyncSequence & Sendable>(
        _ part: ReceivedPart<Body>, field: String?, _ start: Int64
    ) async throws where Body.Element == ByteBuffer {
        let given = part.filename.flatMap { SafePath($0, limit: IncomingUpload.nameBytes) }
        var file = try self.file(given ?? SafePath(IncomingUpload.madeUpName(part.contentType)), part.contentType)
        (file.field, file.givenName) = (field, part.filename)
        if let form, let stored = form.file(at: start) {
            try await self.store(stored, of: form, file)
        } else {
            // A browser sends an empty name for a file field in which nothing was chosen.
            if part.filename == "", try await part.peek(1).isEmpty { return }
            try await self.store(part.content, file)
        }
        guard self.entries.count <= self.limits.files else {
            throw ParsingFailure(.filesLimit, limit: Int64(self.limits.files)).error(
                "The body has more than \(self.limits.files, "file").", at: nil)
        }
    }

    // MARK: Files

    /// Whether the SHA-256 of each file is needed: for the receipt, or for its fingerprint.
    private var needsDigest: Bool { self.intake.keeping.isDigesting || self.fingerprint != nil }

    /// A file as it is stored.
    /// - Throws: 400 for a path that is too long.
    private func file(_ path: SafePath, _ type: String?, length: Int64? = nil) throws(StorageRefusal) -> IncomingFile {
        let (terms, keepsPaths) = (self.upload.terms, self.intake.keeping.keepsPaths)
        var own = SafePath(path.name)
        if keepsPaths || !terms.folders.isEmpty || terms.path != nil {
            let folders = terms.path?.folders ?? (keepsPaths ? path.folders : [])
            own = SafePath((terms.path ?? path).name, in: terms.folders + folders)
            try StorageRefusal.check(own, limit: SafePath.maximumBytes)
        }
        var file = IncomingFile(own, contentType: type, length: length)
        (file.metadata, file.upload, file.mayReplace) = (terms.metadata ?? [:], self.context.resumed, terms.mayReplace)
        if !keepsPaths, terms.path == nil, !path.folders.isEmpty {
            file.droppedFolders = path.folders.map(\.text).joined(separator: "/")
        }
        return file
    }

    /// A file that is the whole body.
    private func wholeFile(_ path: SafePath, _ type: String?, length: Int64?) throws(StorageRefusal) -> IncomingFile {
        var file = try self.file(path, type, length: length)
        file.condition = self.upload.condition
        return file
    }

    private mutating func store<Content: AsyncSequence>(
        _ content: Content, _ file: IncomingFile
    ) async throws where Content.Element == ByteBuffer {
        try await self.write(content, to: try await self.begin(file, from: nil).upload, file)
    }

    private mutating func write<Content: AsyncSequence>(
        _ content: Content, to upload: any StorageUpload, _ file: IncomingFile
    ) async throws where Content.Element == ByteBuffer {
        var digest = self.needsDigest ? SHA256Digest() : nil
        var size: Int64 = 0
        for try await buffer in content {
            size += Int64(buffer.readableBytes)
            try self.checkSize(size)
            try await self.share?.take(Int64(buffer.readableBytes))
            try await StorageProblem.marking { try await upload.write(buffer, digest: &digest) }
        }
        self.ended(file, size: size, sha256: digest?.hex)
    }

    /// Stores a large file of a form, whose bytes aren't in the body that is read.
    private mutating func store(_ stored: StoredForm.File, of form: StoredForm, _ file: IncomingFile) async throws {
        let size = Int64(stored.content.count)
        try self.checkSize(size)
        var file = file
        file.length = size
        let isKnown = self.fingerprint == nil || stored.sha256 != nil
        let content =
            stored.slices.isEmpty ? FileContent.upload(form.upload, stored.content) : .slices(stored.slices)
        try await self.store(
            form.content(of: stored), from: isKnown ? content : nil, file, size: size, sha256: stored.sha256)
        self.foundElsewhere += 1
    }

    /// Stores a file whose bytes are there already, without reading them if the storage can do that.
    /// - Parameter place: Where they are; `nil` if they must be read.
    private mutating func store(
        _ bytes: BodySource, from place: FileContent?, _ file: IncomingFile, size: Int64, sha256: String?
    ) async throws {
        let (upload, hasContent) = try await self.begin(file, from: place)
        guard hasContent else { return try await self.write(BodyPlan(copying: bytes).buffers(), to: upload, file) }
        try await self.share?.take(size)
        self.ended(file, size: size, sha256: sha256)
    }

    private func checkSize(_ size: Int64) throws(FormworkError) {
        let limit = min(self.limits.fileBytes, self.limits.bodyBytes)
        guard size > limit else { return }
        throw ParsingFailure(.fileBytesLimit, limit: limit).error("The file has more than \(limit, "byte").", at: nil)
    }

    /// Begins a file.
    /// - Parameter content: Where its bytes are, if they are known.
    private mutating func begin(
        _ file: IncomingFile, from content: FileContent?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool) {
        self.context.memory?.fileEnded()
        var file = file
        // Two files of one form never replace each other.
        if self.entries.contains(where: { $0.file.name == file.path.text }) { file.mayReplace = false }
        let (storage, memory) = (self.intake.storage, self.context.memory)
        let begun = try await StorageProblem.marking { [file] in
            try await storage.begin(file, from: content, memory)
        }
        self.add(begun.upload, file)
        return begun
    }

    private mutating func add(_ upload: any StorageUpload, _ file: IncomingFile) {
        // A head can contain a long type or name, and a thousand of them are kept, and reported to a hook.
        var described = UploadReceipt.File(
            name: file.path.text, size: 0, type: file.contentType?.cut(to: 255), field: file.field?.cut(to: 255))
        described.droppedFolders = file.droppedFolders?.cut(to: 255)
        let arrival = self.intake.arrivals.began(described, of: self.context.owner)
        self.entries.append(Entry(upload: upload, file: described, arrival: arrival))
    }

    /// Records the size and digest of the file that was begun last.
    private mutating func ended(_ file: IncomingFile, size: Int64, sha256: String?) {
        self.note("file", file.field ?? "", file.givenName ?? "", file.contentType ?? "", sha256 ?? "")
        let last = self.entries.count - 1
        self.entries[last].file.size = size
        self.entries[last].file.sha256 = self.intake.keeping.isDigesting ? sha256 : nil
    }

    /// Adds to the fingerprint what a repeated upload must have, too.
    private mutating func note(_ texts: String..., bytes: [UInt8] = []) {
        guard self.fingerprint != nil else { return }
        for part in texts.map({ Array($0.utf8) }) + [bytes] {
            Array("\(part.count):".utf8).withBytes { self.fingerprint?.update($0) }
            part.withBytes { self.fingerprint?.update($0) }
        }
    }

    // MARK: The end

    /// Makes all files visible.
    private mutating func publish(_ fields: FormFields) async throws -> UploadReceipt {
        self.receipt.fields = fields.answered
        self.receipt.fingerprint = self.fingerprint.map {
            DigestValue(algorithm: SHA256Digest.algorithm, bytes: $0.finalized()).hex
        }
        let (files, terms, hooks) = (self.entries.map(\.file), self.upload.terms, self.intake.hooks)
        var publication = Publication(upload: self.context.resumed, memory: self.context.memory)
        if !fields.isEmpty, self.intake.keeping.keepsFields {
            publication.record = { names in
                var record = fields.record(for: files.named(names), in: terms.folders)
                // The record doesn't replace a file of the same form.
                record.mayReplace = terms.mayReplace && !names.contains(record.path.text)
                return record
            }
        } else if !fields.isEmpty {
            self.receipt.fieldsDropped = true
        }
        let complete: @Sendable ([String]) -> UploadReceipt = { [receipt = self.receipt] names in
            var receipt = receipt
            receipt.files = files.named(names)
            if names.count > files.count { receipt.fieldsIn = names[files.count] }
            return receipt
        }
        (publication.receipt, publication.notice) = (complete, hooks?.notice(for: terms, files, self.receipt.fields))
        var wasStored = false
        defer { if let notice = publication.notice { hooks?.ended(notice, wasStored: wasStored) } }
        if let run = self.context.run, !run.beginPublishing() { throw CancellationError() }
        self.isPublishing = true
        self.context.memory?.fileEnded()
        let (storage, uploads) = (self.intake.storage, self.entries.map(\.upload))
        let names = try await StorageProblem.marking { [publication] in try await storage.commit(uploads, publication) }
        wasStored = true
        self.share?.end(isStored: true)
        for (entry, file) in zip(self.entries, files.named(names)) { self.intake.arrivals.arrived(entry.arrival, file) }
        return complete(names)
    }

    /// Removes all files.
    private func abandon() async {
        let entries = self.entries
        if !self.isPublishing {
            // In a separate task: the request's task may be cancelled, but the store must still be told to remove the
            // files.
            await Task { for entry in entries.reversed() { await entry.upload.abandon() } }.value
        }
        self.share?.end(isStored: false)
        for entry in entries { self.intake.arrivals.failed(entry.arrival) }
    }
}

extension ReceivedPart {
    /// Whether the part is itself a multipart body, with parts that don't depend on each other.
    fileprivate var isMixed: Bool {
        let type = (self.contentType ?? "").prefix { $0 != ";" }.filter { !$0.isWhitespace }
        return type.lowercased() == "multipart/mixed"
    }
}

extension [UploadReceipt.File] {
    /// The same files with these names.
    func named(_ names: some Sequence<String>) -> [UploadReceipt.File] {
        zip(self, names).map { file, name in
            var file = file
            file.name = name
            return file
        }
    }
}

extension String {
    /// The longest prefix that fits in this many bytes of UTF-8.
    func cut(to limit: Int) -> String {
        guard var end = self.utf8.index(self.startIndex, offsetBy: limit, limitedBy: self.endIndex) else { return self }
        while end.samePosition(in: self.unicodeScalars) == nil { end = self.utf8.index(before: end) }
        return String(self.unicodeScalars[..<end])
    }
}
