import Formwork
import FormworkClient
import FormworkDigests
import FormworkNIO
import FormworkResumable
import NIOCore

/// Reads a whole body and stores its files: all of them, or none.
struct UploadIntake: Sendable {
    private var storage: any ReceiverStorage
    private var limits: ReceivingLimits
    let isDigesting: Bool
    private let keepsPaths: Bool
    private let keepsFields: Bool
    private var arrivals: Arrivals
    private let memory: ReceiverMemory
    /// Reports what was stored; `nil` for no reports.
    var hooks: Hooks?
    /// The terms of the upload that this takes.
    private var terms = UploadTerms()
    /// The name of the resumable upload that this takes; `nil` for another one.
    private var resumed: String?
    private var context = UploadContext()
    private var isComparing = false
    /// Whether receipts have a fingerprint.
    private var isKeyed: Bool { self.isComparing || self.context.run != nil }

    init(
        storage: any ReceiverStorage, limits: ReceivingLimits, isDigesting: Bool = true, keepsPaths: Bool = false,
        keepsFields: Bool = true, arrivals: Arrivals = Arrivals(), memory: ReceiverMemory? = nil
    ) {
        (self.storage, self.limits, self.isDigesting, self.arrivals) = (storage, limits, isDigesting, arrivals)
        (self.keepsPaths, self.keepsFields) = (keepsPaths, keepsFields)
        self.memory = memory ?? ReceiverMemory(limits)
    }

    /// Stores the files of a body. The body may come from a connection, or from a file
    /// (``BodyPlan/buffers(of:allocator:options:)``).
    /// - Throws: ``FormworkError`` for an invalid body, and the errors of the storage and the body; nothing is kept
    ///   then. ``ProblemDetails`` if there is no memory for the form's fields, if the body doesn't match its
    ///   digests, or if a path is too long.
    func take<Body: AsyncSequence & Sendable>(
        _ upload: IncomingUpload, _ body: Body
    ) async throws -> UploadReceipt where Body.Element == ByteBuffer {
        try await self.under(upload).take(upload, body, from: nil)
    }

    /// The same, for an upload of a request.
    func `in`(_ context: UploadContext) -> UploadIntake {
        var intake = self
        intake.context = context
        return intake
    }

    /// The same, for an upload that is compared with one that is stored. Nothing is stored, shown or reported.
    var comparing: UploadIntake {
        var intake = self
        (intake.storage, intake.arrivals, intake.hooks) = (DiscardingStorage(), Arrivals(), nil)
        intake.isComparing = true
        return intake
    }

    /// The same, with the terms of an upload.
    private func under(_ upload: IncomingUpload) throws(ProblemDetails) -> UploadIntake {
        guard upload.terms.mayReplace || upload.condition != .isTaken else {
            throw .preconditionFailed("Files aren't replaced by this upload, so If-Match can't be used.")
        }
        var intake = self
        intake.terms = upload.terms
        intake.limits = self.limits.limited(to: upload.terms.maxSize)
        return intake
    }

    /// Stores the files of a body that is already complete in a file, or elsewhere.
    /// - Throws: The same.
    func take(_ upload: IncomingUpload, _ stored: StoredBody) async throws -> UploadReceipt {
        var intake = try self.under(upload)
        intake.resumed = stored.upload
        if let name = stored.upload {
            let receipt = try await StorageProblem.marking { try await intake.storage.receipt(ofUpload: name) }
            if let receipt { return receipt }
        }
        if let receipt = try await intake.place(upload, stored) { return receipt }
        if let receipt = try await intake.placeLargeFiles(upload, stored) { return receipt }
        let body = try BodyPlan(copying: stored.content).buffers()
        return try await intake.take(upload, body, from: stored.file.map { Origin(place: .file($0), start: 0) })
    }

    /// Stores the files of a form of which the storage can copy the large ones.
    /// - Returns: `nil` if all bytes must be read.
    private func placeLargeFiles(_ upload: IncomingUpload, _ stored: StoredBody) async throws -> UploadReceipt? {
        guard case .parts(_, isForm: true) = upload.content, upload.digests.isEmpty, let name = stored.upload,
            stored.length <= self.limits.bodyBytes,
            let form = stored.form ?? self.storage.form(ofUpload: name, isDigesting: self.isDigesting)
        else { return nil }
        let body = try BodyPlan(copying: form.rest).buffers()
        do { return try await self.take(upload, body, from: Origin(place: .form(form), start: 0)) } catch {
            switch error {
            case is OtherFiles: return nil
            case var error as FormworkError:
                error.offset = error.offset.map { form.offset(of: $0) }
                throw error
            default: throw error
            }
        }
    }

    /// A form's large files aren't those that were found while it arrived.
    private struct OtherFiles: Error {}

    /// Whether the storage has room for an upload that is stored elsewhere first.
    func hasRoom(for room: UploadRoom) async -> Bool { await self.storage.hasRoom(for: room) }

    func forgetReceipt(ofUpload name: String) async { await self.storage.forgetReceipt(ofUpload: name) }

    /// Stores a file that is the whole body.
    /// - Returns: `nil` if its bytes must be read.
    private func place(
        _ upload: IncomingUpload, _ stored: StoredBody
    ) async throws -> UploadReceipt? {
        guard case .file(let path, let type) = upload.content, upload.digests.isEmpty else { return nil }
        let digest = stored.digests.first { $0.algorithm == SHA256Digest.algorithm }
        guard digest != nil || !(self.isDigesting || self.isKeyed) else { return nil }
        try self.checkSize(stored.length)
        return try await self.withFiles { pending in
            var file = try self.naming.file(path, type, length: stored.length)
            file.condition = upload.condition
            guard try await pending.begin(file, from: stored) else { return nil }
            pending.note("file", "", "", type ?? "", digest?.hex ?? "")
            pending.ended(size: stored.length, sha256: self.isDigesting ? digest?.hex : nil)
            var receipt = UploadReceipt()
            try await self.publish(FormFields(upload.metadata), &pending, &receipt)
            return receipt
        }
    }

    /// Collects the files of one body, and removes all of them after an error.
    private func withFiles<Result>(_ body: (inout PendingFiles) async throws -> Result) async throws -> Result {
        var pending = PendingFiles(self.storage, self.arrivals, self.context)
        if self.isKeyed { pending.fingerprint = SHA256Digest() }
        do { return try await body(&pending) } catch {
            await pending.abandon()
            throw error
        }
    }

    /// Where the bytes of a body are too.
    private struct Origin {
        enum Destination {
            case file(FinishedFile)
            /// The body is the ``StoredForm/rest`` of a form.
            case form(StoredForm)
        }

        var place: Destination
        /// The offset of the body's first byte.
        var start: Int64

        /// The same for a body that begins at an offset of this one.
        func shifted(by offset: Int64) -> Origin { Origin(place: self.place, start: self.start + offset) }

        /// The file that has the bytes.
        var file: FinishedFile? { if case .file(let file) = self.place { file } else { nil } }
    }

    private func take<Body: AsyncSequence & Sendable>(
        _ upload: IncomingUpload, _ body: Body, from origin: Origin?
    ) async throws -> UploadReceipt where Body.Element == ByteBuffer {
        try await self.withFiles { pending in
            var room = upload.length ?? 0
            if case .form(let form) = origin?.place { room = form.copiedBytes }
            try await StorageProblem.marking { [room] in try await self.storage.checkRoom(for: room) }
            var receipt = UploadReceipt()
            let fields: FormFields?
            if upload.digests.isEmpty {
                fields = try await self.read(upload, body, origin, &pending, &receipt)
                if case .form(let form) = origin?.place, pending.foundElsewhere != form.files.count {
                    throw OtherFiles()
                }
            } else {
                let checked = CheckedBody(body, BodyCheck(upload.digests), limit: self.limits.bodyBytes)
                fields = try await self.read(upload, checked.chunks, origin, &pending, &receipt)
                try await checked.finish()
            }
            try await self.publish(fields, &pending, &receipt)
            return receipt
        }
    }

    private func publish(
        _ fields: FormFields?, _ pending: inout PendingFiles, _ receipt: inout UploadReceipt
    ) async throws {
        receipt.fields = fields?.answered ?? []
        receipt.fingerprint = pending.fingerprint.map {
            DigestValue(algorithm: SHA256Digest.algorithm, bytes: $0.finalized()).hex
        }
        let (files, terms) = (pending.files, self.terms)
        var publication = Publication(upload: self.resumed)
        if let fields, !fields.isEmpty, self.keepsFields {
            publication.record = { names in
                var record = fields.record(for: files.named(names), in: terms.folders)
                // The record doesn't replace a file of the same form.
                record.mayReplace = terms.mayReplace && !names.contains(record.path.text)
                return record
            }
        } else if !receipt.fields.isEmpty {
            receipt.fieldKeeping = .dropped
        }
        let described = receipt
        let complete: @Sendable ([String]) -> UploadReceipt = { names in
            var receipt = described
            receipt.files = files.named(names)
            if names.count > files.count { receipt.fieldKeeping = .kept(name: names[files.count]) }
            return receipt
        }
        (publication.receipt, publication.notice) = (complete, self.hooks?.notice(for: terms, files, receipt.fields))
        do { receipt = complete(try await pending.finish(publication)) } catch {
            if let notice = publication.notice { self.hooks?.ended(notice, wasStored: false) }
            throw error
        }
        if let notice = publication.notice { self.hooks?.ended(notice, wasStored: true) }
    }

    /// Reads a body; its files aren't visible yet.
    /// - Returns: The fields of a form.
    private func read<Body: AsyncSequence & Sendable>(
        _ upload: IncomingUpload, _ body: Body, _ origin: Origin?, _ pending: inout PendingFiles,
        _ receipt: inout UploadReceipt
    ) async throws -> FormFields? where Body.Element == ByteBuffer {
        switch upload.content {
        case .parts(let type, let isForm):
            let lease = ReceiverMemory.Lease(of: self.memory)
            var fields: [FormFields.Arrived] = []
            let level = Level(contentType: type, isForm: isForm, origin: origin)
            try await self.takeParts(body, level, lease, &fields, &pending)
            try FormFields.checkNoDelimiter(in: fields, of: type)
            receipt.memory = UploadReceipt.Memory(lease: lease)
            return try FormFields(fields, limit: self.limits.allFieldBytes, lease)
        case .file(let path, let type):
            var file = try self.naming.file(path, type, length: upload.length)
            file.condition = upload.condition
            try await self.store(body, file, given: nil, field: nil, origin, &pending)
            if let length = upload.length, pending.lastSize != length {
                throw FormworkError(
                    .truncatedBody, "The body has \(pending.lastSize, "byte") of the announced \(length).")
            }
            return FormFields(upload.metadata)
        }
    }

    /// A multipart body, or a part that is a multipart body.
    private struct Level {
        var contentType: String
        var isForm: Bool
        var origin: Origin?
        /// The field that contains it; `nil` for the body itself.
        var field: String?
        var depth = 0

        /// RFC 7578 §4.3 describes one level, for several files of a field, and deprecates it.
        static let maximumDepth = 3
    }

    private func takeParts<Body: AsyncSequence & Sendable>(
        _ body: Body, _ level: Level, _ lease: ReceiverMemory.Lease, _ fields: inout [FormFields.Arrived],
        _ pending: inout PendingFiles
    ) async throws where Body.Element == ByteBuffer {
        let isPlainForm = level.isForm && level.depth == 0
        let parts = try ReceivedParts(
            body, contentType: level.contentType, profile: isPlainForm ? .default : .generic,
            limits: self.limits.parsing)
        for try await part in parts {
            let field = level.field ?? part.name
            if let field { try lease.hold(field.utf8.count + field.escapingCost) }
            if !part.isFile, level.depth < Level.maximumDepth, part.isMixed {
                // Several files of one field (RFC 7578 §4.3), or the parts of a mixed body: both are stored as files.
                try part.limit(to: self.limits.bodyBytes)
                let inner = Level(
                    contentType: part.contentType ?? "", isForm: level.isForm,
                    origin: level.origin?.shifted(by: part.contentOffset), field: field, depth: level.depth + 1)
                let chunks = PulledChunks {
                    var content = part.rest.content.makeAsyncIterator()
                    return try await content.next()
                }
                try await self.takeParts(chunks, inner, lease, &fields, &pending)
            } else if part.isFile || !level.isForm {
                try await self.takeFile(part, field: field, level.origin, &pending)
            } else {
                var bytes: [UInt8] = []
                // The parser limits how many bytes there may be.
                for try await buffer in part.content {
                    try lease.hold(buffer.readableBytes)
                    bytes += buffer.readableBytesView
                }
                pending.note("field", field ?? "", part.contentType ?? "", bytes: bytes)
                fields.append(
                    FormFields.Arrived(index: part.index, header: part.header, name: field ?? "", bytes: bytes))
                guard fields.count <= self.limits.fields else {
                    throw ParsingFailure(.fieldsLimit, limit: Int64(self.limits.fields)).error(
                        "The body has more than \(self.limits.fields, "field").", at: nil)
                }
            }
        }
    }

    private func takeFile<Body: AsyncSequence & Sendable>(
        _ part: ReceivedPart<Body>, field: String?, _ origin: Origin?, _ pending: inout PendingFiles
    ) async throws where Body.Element == ByteBuffer {
        let origin = origin?.shifted(by: part.contentOffset)
        let file =
            try self.naming.file(named: part.filename, part.contentType)
            ?? self.naming.file(SafePath(IncomingUpload.madeUpName(part.contentType)), part.contentType)
        if let origin, case .form(let form) = origin.place, let stored = form.file(at: origin.start) {
            try await self.store(stored, of: form, file, given: part.filename, field: field, &pending)
        } else if part.filename == "" {
            // A browser sends this for a file field in which nothing was chosen.
            if try await part.peek(1).isEmpty { return }
            try await self.store(part.content, file, given: part.filename, field: field, origin, &pending)
        } else {
            try await self.store(part.content, file, given: part.filename, field: field, origin, &pending)
        }
        guard pending.count <= self.limits.files else {
            throw ParsingFailure(.filesLimit, limit: Int64(self.limits.files)).error(
                "The body has more than \(self.limits.files, "file").", at: nil)
        }
    }

    /// How the files are named.
    var naming: FileNaming {
        FileNaming(
            keepsPaths: self.keepsPaths, terms: self.terms, maximumPathBytes: self.storage.maximumPathBytes,
            upload: self.resumed)
    }

    /// Stores a large file of a form, whose bytes aren't in the body that is read.
    private func store(
        _ stored: StoredForm.File, of form: StoredForm, _ file: IncomingFile, given: String?, field: String?,
        _ pending: inout PendingFiles
    ) async throws {
        let size = Int64(stored.content.count)
        try self.checkSize(size)
        var file = file
        file.length = size
        let isKnown = !self.isKeyed || stored.sha256 != nil
        if isKnown, try await pending.begin(file, field: field, from: stored, of: form) {
            pending.note("file", field ?? "", given ?? "", file.contentType ?? "", stored.sha256 ?? "")
            pending.ended(size: size, sha256: self.isDigesting ? stored.sha256 : nil)
        } else {
            let content = try BodyPlan(copying: form.content(of: stored)).buffers()
            try await self.store(content, file, given: given, field: field, nil, &pending)
        }
        pending.foundElsewhere += 1
    }

    /// - Parameter given: The part's filename; `nil` for none.
    private func store<Content: AsyncSequence>(
        _ content: Content, _ file: IncomingFile, given: String?, field: String?, _ origin: Origin?,
        _ pending: inout PendingFiles
    ) async throws where Content.Element == ByteBuffer {
        let upload = try await pending.begin(file, field: field)
        var digest = self.isDigesting || self.isKeyed ? SHA256Digest() : nil
        var size: Int64 = 0
        for try await buffer in content {
            let offset = size
            size += Int64(buffer.readableBytes)
            try self.checkSize(size)
            try await StorageProblem.marking {
                if let origin, let finished = origin.file {
                    digest?.update(buffer.readableBytesSpan)
                    try await upload.write(buffer, from: finished, at: origin.start + offset)
                } else {
                    try await upload.write(buffer, digest: &digest)
                }
            }
        }
        let hex = digest?.hex
        pending.note("file", field ?? "", given ?? "", file.contentType ?? "", hex ?? "")
        pending.ended(size: size, sha256: self.isDigesting ? hex : nil)
    }

    private func checkSize(_ size: Int64) throws(FormworkError) {
        let limit = min(self.limits.fileBytes, self.limits.bodyBytes)
        guard size > limit else { return }
        throw ParsingFailure(.fileBytesLimit, limit: limit).error("The file has more than \(limit, "byte").", at: nil)
    }
}

extension ReceivedPart {
    /// Whether the part is itself a multipart body, with parts that don't depend on each other.
    fileprivate var isMixed: Bool {
        let type = (self.contentType ?? "").prefix { $0 != ";" }.filter { !$0.isWhitespace }
        return type.lowercased() == "multipart/mixed"
    }
}

/// What is known of an upload besides its head.
struct UploadContext: Sendable {
    /// The sender: a login, or an address.
    var owner: String?
    /// That of an upload with an ``IdempotencyKey``; `nil` for another one.
    var run: IdempotentUploads.Run?
}

/// A body that is complete before its files are stored.
struct StoredBody: Sendable {
    var content: BodySource
    /// The file that has its bytes; `nil` if they are elsewhere.
    var file: FinishedFile?
    /// The form that it is, if the places of its large files are known, and its bytes are in files of this process.
    var form: StoredForm?
    /// The name of the resumable upload that it is; `nil` for another body.
    var upload: String?
    /// Its length in bytes.
    var length: Int64
    /// The digests of all bytes that are known.
    var digests: [DigestValue]

    init(
        _ content: BodySource, file: FinishedFile?, upload: String? = nil, length: Int64, digests: [DigestValue]
    ) {
        (self.content, self.file, self.upload, self.length) = (content, file, upload, length)
        self.digests = digests
    }
}
