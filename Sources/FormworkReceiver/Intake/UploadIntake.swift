import FormworkNIO
import FormworkResumable
import NIOCore

/// Reads a whole body and stores its files: all of them, or none.
struct UploadIntake: Sendable {
    private(set) var storage: any ReceiverStorage
    /// `nil` for an upload that isn't stored.
    private(set) var totals: StoredTotals?
    let limits: ReceivingLimits
    let keeping: UploadKeeping
    private(set) var arrivals: Arrivals
    let memory: ReceiverMemory
    let idempotent = IdempotentUploads()
    /// Reports what was stored; `nil` for no reports.
    var hooks: Hooks?
    /// Counts the uploads of links; `nil` if links aren't accepted.
    var linkUses: LinkUses?
    private(set) var isComparing = false

    init(
        storage: any ReceiverStorage, limits: ReceivingLimits,
        keeping: UploadKeeping = UploadKeeping(), arrivals: Arrivals = Arrivals(),
        memory: ReceiverMemory? = nil
    ) {
        (self.storage, self.limits, self.keeping, self.arrivals) = (storage, limits, keeping, arrivals)
        (self.memory, self.totals) = (memory ?? ReceiverMemory(limits), StoredTotals(storage))
    }

    /// The same, for an upload that is compared with one that is stored. Nothing is stored, shown or reported.
    var comparing: UploadIntake {
        var intake = self
        (intake.storage, intake.arrivals, intake.hooks) = (DiscardingStorage(), Arrivals(), nil)
        intake.totals = nil
        intake.isComparing = true
        return intake
    }

    /// The bytes that an upload on these terms may store; `nil` for no limit.
    func share(_ terms: UploadTerms) -> StoredTotals.Claim? {
        self.totals.flatMap { StoredTotals.Claim(of: $0, self.limits, terms) }
    }

    /// The name that a file gets if its upload has no other terms.
    func name(_ path: SafePath) -> String { self.keeping.keepsPaths ? path.text : path.name.text }

    /// Stores the files of a body. The body may come from a connection, or from a file
    /// (``BodyPlan/buffers(of:allocator:options:)``).
    /// - Throws: ``FormworkError`` for an invalid body, and the errors of the storage and the body; nothing is kept
    ///   then. ``ProblemDetails`` if there is no memory for the form's fields, if the body doesn't match its
    ///   digests, or if a path is too long.
    func take<Body: AsyncSequence & Sendable>(
        _ upload: IncomingUpload, _ body: Body, in context: UploadContext = UploadContext()
    ) async throws -> UploadReceipt where Body.Element == ByteBuffer {
        try await PendingUpload(upload, self, context).run { try await $0.take(body) }
    }

    /// Stores the files of a body that is already complete in a file, or elsewhere.
    /// - Throws: The errors of ``take(_:_:in:)``.
    func take(
        _ upload: IncomingUpload, _ stored: StoredBody, in context: UploadContext = UploadContext()
    ) async throws -> UploadReceipt {
        var context = context
        context.resumed = stored.upload
        let pending = try PendingUpload(upload, self, context)
        var found: FoundUpload = (nil, nil)
        if let name = stored.upload {
            found = try await StorageProblem.marking {
                try await self.storage.find(name, isDigesting: self.keeping.isDigesting)
            }
        }
        if let receipt = found.receipt { return receipt }
        if let receipt = try await pending.run({ try await $0.place(stored) }) { return receipt }
        if pending.isPlaceable(stored), let form = stored.form ?? found.form {
            let rest = try BodyPlan(copying: form.rest).buffers()
            do { return try await pending.run { try await $0.take(rest, of: form) } } catch {
                switch error {
                // All bytes must be read.
                case is PendingUpload.OtherFiles: break
                case var error as FormworkError:
                    error.offset = error.offset.map { form.offset(of: $0) }
                    throw error
                default: throw error
                }
            }
        }
        let body = try BodyPlan(copying: stored.content).buffers()
        return try await pending.run { try await $0.take(body) }
    }
}

/// What is known of an upload besides its head.
struct UploadContext: Sendable {
    /// The sender: a login, or an address.
    var owner: String?
    /// The request of an upload with an ``IdempotencyKey``; `nil` for another one.
    var run: IdempotentUploads.Arrival?
    /// The name of the resumable upload that has the bytes; `nil` for another one.
    var resumed: String?
    /// The memory of the request; `nil` without a limit.
    var memory: ReceiverMemory.Lease?
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
}

/// What is kept of uploads.
struct UploadKeeping: Sendable {
    /// Whether the SHA-256 of files is computed while they arrive.
    var isDigesting = true
    /// Whether the folders in a file's path are kept, below the destination folder.
    var keepsPaths = false
    /// Whether a form's text fields are stored in a file next to the form's files.
    var keepsFields = true
}
