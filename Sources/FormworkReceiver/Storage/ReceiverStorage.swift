import Formwork
import FormworkDigests
import FormworkResumable
import HTTPTypes
import NIOCore

/// The destination of uploads: a folder, or an object store.
protocol ReceiverStorage: Sendable {
    /// Checks whether there is room for this many bytes, as far as that is known. Called before the first byte is read.
    /// - Throws: An error that is answered with 507.
    func checkRoom(for bytes: Int64) async throws
    /// Whether there is room for an upload that is stored elsewhere first; `true` if that can't be determined.
    func hasRoom(for room: UploadRoom) async -> Bool
    /// Begins a file, which stays invisible until it is finished.
    func begin(_ file: IncomingFile) async throws -> any StorageUpload
    /// Begins a file whose bytes are somewhere already.
    /// - Returns: The file with all its bytes; `nil` if the storage can't use them, and they must be written.
    func begin(_ file: IncomingFile, from content: FileContent) async throws -> (any StorageUpload)?
    /// A complete upload that is a form.
    /// - Parameters:
    ///   - name: The upload's name.
    ///   - isDigesting: Whether the files must have digests.
    /// - Returns: `nil` if the storage doesn't have the upload, or it isn't known where large files are in it.
    func form(ofUpload name: String, isDigesting: Bool) -> StoredForm?
    /// Makes the files of one form visible, all of them or, if an error is thrown, none. Nothing is left of them then.
    /// - Returns: The files' names, followed by the record's.
    func publish(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String]
    /// What was stored of a resumable upload, if this or another process was killed before it could note that elsewhere;
    /// `nil` if nothing was, or the storage finds that out in another way.
    func receipt(ofUpload name: String) async throws -> UploadReceipt?
    /// Forgets what was stored of a resumable upload: it is noted elsewhere.
    func forgetReceipt(ofUpload name: String) async
    /// The name that a file got; `nil` if it isn't there.
    func name(of trace: Notice.Trace) async throws -> String?
    /// Files of one form that are finished at once. Default 1.
    var finishesAtOnce: Int { get }
    /// Bytes of the buffer that each upload needs at least.
    var bufferBytes: Int { get }
    /// The longest path below the destination, in bytes.
    var maximumPathBytes: Int { get }
    /// Whether files can be stored at the moment, as far as that is known.
    func isReachable() async -> Bool
    /// Releases resources such as connections. All uploads have ended before.
    func close() async
}

extension ReceiverStorage {
    func close() async {}
    var finishesAtOnce: Int { 1 }
    var bufferBytes: Int { 0 }
    func isReachable() async -> Bool { true }
    var maximumPathBytes: Int { SafePath.maximumBytes }
    func checkRoom(for bytes: Int64) async throws {}
    func hasRoom(for room: UploadRoom) async -> Bool { true }
    func begin(_ file: IncomingFile, from content: FileContent) async throws -> (any StorageUpload)? { nil }
    func form(ofUpload name: String, isDigesting: Bool) -> StoredForm? { nil }
    func name(of trace: Notice.Trace) async throws -> String? { nil }
    func receipt(ofUpload name: String) async throws -> UploadReceipt? { nil }
    func forgetReceipt(ofUpload name: String) async {}

    func publish(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        guard let notice = publication.notice else { return try await self.finish(uploads, publication) }
        do { try await notice.box.put(notice.intent(uploads.compactMap(\.trace)), notice.name) } catch {
            // In a separate task: the request's task may be cancelled.
            await Task { for upload in uploads.reversed() { await upload.abandon() } }.value
            throw error
        }
        let names: [String]
        do { names = try await self.finish(uploads, publication) } catch {
            // As above.
            await Task { try? await notice.box.remove(notice.name) }.value
            throw error
        }
        // The files are there. If this fails, the first message shows where.
        await Task { try? await notice.box.put(notice.bytes(names), notice.name) }.value
        return names
    }

    /// Finishes uploads several at a time, if nothing depends on their order.
    /// - Returns: The results, by index.
    private func finishAtOnce(_ uploads: [any StorageUpload]) async -> [Int: Result<String, any Error>] {
        guard uploads.count > 1, self.finishesAtOnce > 1 else { return [:] }
        // Of two files with one path the first gets it.
        var counts: [String: Int] = [:]
        for path in uploads.compactMap(\.trace?.path) { counts[path, default: 0] += 1 }
        return await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
            var results: [Int: Result<String, any Error>] = [:]
            var begun = 0
            for (index, upload) in uploads.enumerated() {
                guard let path = upload.trace?.path, counts[path] == 1 else { continue }
                if begun >= self.finishesAtOnce, let (index, result) = await group.next() {
                    results[index] = result
                    if case .failure = result { break }
                }
                begun += 1
                group.addTask {
                    // The result is made before the pair: with optimization, Swift 6.3 returns another index from
                    // `(index, .success(try await upload.finish()))`.
                    let result: Result<String, any Error>
                    do { result = .success(try await upload.finish()) } catch { result = .failure(error) }
                    return (index, result)
                }
            }
            for await (index, result) in group { results[index] = result }
            return results
        }
    }

    /// Finishes the uploads; those already visible are withdrawn if a later one fails.
    private func finish(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        var uploads = uploads
        var names: [String] = []
        let early = await self.finishAtOnce(uploads)
        do {
            if let failure = early.values.lazy.compactMap(\.failure).first { throw failure }
            for (index, upload) in uploads.enumerated() {
                let name: String
                if let result = early[index] { name = try result.get() } else { name = try await upload.finish() }
                names.append(name)
            }
            if let record = publication.record?(names) {
                var file = IncomingFile(
                    record.path, contentType: FormRecord.mediaType, length: Int64(record.bytes.count))
                file.upload = publication.upload
                let upload = try await self.begin(file)
                uploads.append(upload)
                try await upload.write(ByteBuffer(bytes: record.bytes))
                names.append(try await upload.finish())
            }
            // A receiver that was overtaken while it made the last of them must not report them.
            for upload in uploads.reversed() where try await upload.isStillOwned() { break }
            return names
        } catch {
            let (all, finished) = (uploads, names.count)
            // In a separate task: the request's task may be cancelled, but the store must still be told to remove the
            // files.
            await Task {
                for (index, upload) in all.enumerated().reversed() {
                    if index < finished || early[index] != nil {
                        await upload.withdraw()
                    } else {
                        await upload.abandon()
                    }
                }
            }.value
            throw error
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// Where the bytes of a file are before it begins.
enum FileContent: Sendable {
    /// In finished files, one slice after another. The files are removed afterwards.
    case slices([FinishedFile.Slice])
    /// In a complete upload of this name, which the storage itself has: those of a range, or all.
    case upload(String, Range<Int64>?)
}

/// What becomes visible together with the files of one form.
struct Publication: Sendable {
    /// Makes a record, stored as one more file, from the files' final names; `nil` for no record.
    var record: (@Sendable ([String]) -> FormRecord?)?
    /// A message that is kept if, and only if, the files become visible, even if this process is killed. If the storage can't
    /// do that in one step, the message first has the traces of the files, by which ``ReceiverStorage/name(of:)`` finds them.
    var notice: StoredNotice?
    /// The resumable upload that has the files; `nil` for another one.
    var upload: String?
    /// Makes what ``ReceiverStorage/receipt(ofUpload:)`` returns, from the names of the files and of the record.
    var receipt: (@Sendable ([String]) -> UploadReceipt)?
}

/// A form's text fields, stored as JSON next to its files.
struct FormRecord: Sendable {
    static let mediaType = "application/json"

    var path: SafePath
    var bytes: [UInt8]
    /// Whether it may replace a file of the same name, in a storage that replaces files.
    var mayReplace = true

    init(path: SafePath, bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }
}

/// A file's properties, known before its first byte.
struct IncomingFile: Sendable {
    /// Its path: a name, and folders if paths are kept. Each of them is safe on every system.
    var path: SafePath
    /// The media type that the sender gave; `nil` if it gave none.
    var contentType: String?
    /// Bytes in total; `nil` if only the end shows them.
    var length: Int64?
    /// Whether it may replace a file of the same name, in a storage that replaces files.
    var mayReplace: Bool
    /// The condition for storing it.
    var condition = PathCondition.none
    /// Header fields to store with it, in a storage that has objects.
    var metadata: [String: String] = [:]
    /// The resumable upload that has it; `nil` for another one.
    var upload: String?
    /// The folders of the path that the client gave it, if they aren't kept.
    var droppedFolders: String?
    /// The form's field that has it, and its name there; `nil` for none.
    var field: String?
    var givenName: String?

    init(
        _ path: SafePath, contentType: String? = nil, length: Int64? = nil, mayReplace: Bool = true
    ) {
        (self.path, self.contentType, self.length, self.mayReplace) = (path, contentType, length, mayReplace)
    }

    /// Describes a file directly in the storage's own folder.
    init(
        name: SafeFilename, contentType: String? = nil, length: Int64? = nil, mayReplace: Bool = true
    ) {
        self.init(SafePath(name), contentType: contentType, length: length, mayReplace: mayReplace)
    }
}

/// A client's condition for storing a file (RFC 9110 section 13.1).
enum PathCondition: Sendable, Hashable {
    case none
    /// `If-None-Match: *`: the file's path must be free.
    case isFree
    /// `If-Match: *`: the file's path must be taken.
    case isTaken
}

/// A condition that isn't met.
struct FailedCondition: StorageFailure, Hashable, CustomStringConvertible {
    var condition: PathCondition

    var publicStatus: Int { 412 }
    var publicDetail: String {
        self.condition == .isTaken
            ? "No file has this name (If-Match)." : "A file already has this name (If-None-Match)."
    }
    var description: String { self.publicDetail }
}

/// `If-Match: *` for a file that exists, in a storage that replaces none. A new name isn't what the client asked for.
struct IrreplaceableFile: StorageFailure, Hashable, CustomStringConvertible {
    var publicStatus: Int { 409 }
    var publicDetail: String { "The file exists, and files are not replaced here (If-Match)." }
    var description: String { self.publicDetail }
}

/// A name that is reserved by another upload whose file isn't visible yet, or by a receiver that was killed.
struct ReservedName: StorageFailure, Hashable, CustomStringConvertible {
    var publicStatus: Int { 503 }
    var publicDetail: String { "Another upload has this name, and isn't complete yet: try again later." }
    var description: String { self.publicDetail }
}

/// A file that is being uploaded. Code that begins one must end it with ``finish()`` or ``abandon()``.
protocol StorageUpload: Sendable {
    /// Adds the next bytes; returns when more can be added, which limits the memory used.
    func write(_ buffer: ByteBuffer) async throws
    /// The same, and adds the bytes to a digest: two digests of the same bytes are quicker together.
    func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws
    /// Makes the file visible.
    /// - Returns: Its final name, which differs from its own if that was taken.
    func finish() async throws -> String
    /// Removes the file. Not called after ``finish()`` has returned.
    func abandon() async
    /// Removes the file that ``finish()`` made visible, because another file of the same form failed. A file that it
    /// replaced doesn't come back, and a file that has replaced it since then stays.
    func withdraw() async
    /// Checks that no other receiver has taken over this file's form.
    /// - Returns: Whether that can be known.
    /// - Throws: ``UploadIsBusy`` if one has.
    func isStillOwned() async throws -> Bool
    /// What shows later whether it became visible; `nil` if nothing does.
    var trace: Notice.Trace? { get }
}

extension StorageUpload {
    var trace: Notice.Trace? { nil }
    func isStillOwned() async throws -> Bool { false }

    func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
        digest?.update(buffer.readableBytesSpan)
        try await self.write(buffer)
    }
}

/// An error of a storage with a message for the client.
protocol StorageFailure: StatusFailure {
    /// The HTTP status code: 409 for a name that another program took in the meantime, 502 for a store that fails or
    /// refuses, 503 for an overloaded store, 507 for a full one.
    var publicStatus: Int { get }
    /// The message for the client; it contains no path, address or credential.
    var publicDetail: String { get }
}

extension StorageFailure {
    var status: HTTPResponse.Status { HTTPResponse.Status(code: self.publicStatus) }
}

/// Stores nothing: an upload is read only to compare it with one that is stored.
struct DiscardingStorage: ReceiverStorage {
    private struct Upload: StorageUpload {
        func write(_ buffer: ByteBuffer) async throws {}
        func finish() async throws -> String { "" }
        func abandon() async {}
        func withdraw() async {}
    }

    func begin(_ file: IncomingFile) async throws -> any StorageUpload { Upload() }
}
