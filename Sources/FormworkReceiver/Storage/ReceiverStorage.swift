import FormworkDigests
import FormworkResumable
import NIOCore
import ServiceLifecycle

/// The destination of uploads: a folder, or an object store.
protocol ReceiverStorage: Sendable {
    /// Checks that files can be stored, and that there is room, as far as that is known.
    /// - Throws: An error that is answered with 503 or 507.
    func room(for need: StorageNeed) async throws
    /// Begins a file, which stays invisible until it is committed.
    /// - Parameters:
    ///   - content: Where its bytes are already; `nil` if they arrive.
    ///   - memory: The memory of the request, for the file's buffers; `nil` without a limit.
    /// - Returns: The file, and whether it has all its bytes: otherwise they must be written.
    func begin(
        _ file: IncomingFile, from content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool)
    /// Makes the files of one form visible, all of them or, if an error is thrown, none. Nothing is left of them then.
    /// - Parameter uploads: What ``begin(_:from:_:)`` has returned, with all bytes.
    /// - Returns: The files' names, followed by the record's.
    func commit(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String]
    /// What is known of a complete resumable upload before its files are stored.
    /// - Parameter isDigesting: Whether only files with digests count.
    func find(_ upload: String, isDigesting: Bool) async throws -> FoundUpload
    /// Forgets what was stored of a resumable upload: it is noted elsewhere.
    func forget(_ upload: String) async
    /// Bytes of all files in the destination, or in a folder of it, without what receivers keep there for themselves.
    func size(of folder: String?) async throws -> Int64
}

extension ReceiverStorage {
    func room(for need: StorageNeed) async throws {}
    func find(_ upload: String, isDigesting: Bool) async throws -> FoundUpload { (nil, nil) }
    func forget(_ upload: String) async {}
    func size(of folder: String?) async throws -> Int64 { 0 }
}

/// What a storage must have room for.
enum StorageNeed: Sendable {
    /// Nothing yet: asks whether files can be stored at the moment.
    case nothing
    /// Bytes of files, before the first of them is read.
    case files(Int64)
    /// An upload that is stored elsewhere first.
    case unfinished(UploadRoom)
}

/// What a storage knows of a complete resumable upload.
///
/// The receipt shows what was stored, if this or another process was killed before it could note that elsewhere. The form
/// says which large files the storage can place without their bytes being read.
typealias FoundUpload = (receipt: UploadReceipt?, form: StoredForm?)

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
    /// do that in one step, the message first has the traces of the files, by which ``RecordBox/name(of:)`` finds them.
    var notice: StoredNotice?
    /// The resumable upload that has the files; `nil` for another one.
    var upload: String?
    /// The memory of the request; `nil` without a limit.
    var memory: ReceiverMemory.Lease?
    /// Makes what ``ReceiverStorage/find(_:isDigesting:)`` returns, from the names of the files and of the record.
    var receipt: (@Sendable ([String]) -> UploadReceipt)?
}

/// A form's text fields, stored as JSON next to its files.
struct FormRecord: Sendable {
    static let mediaType = "application/json"

    var path: SafePath
    var bytes: [UInt8]
    /// Whether it may replace a file of the same name, in a storage that replaces files.
    var mayReplace = true
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
    var mayReplace = true
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

    init(_ path: SafePath, contentType: String? = nil, length: Int64? = nil) {
        (self.path, self.contentType, self.length) = (path, contentType, length)
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

/// What a storage refuses, in words for the client.
struct StorageRefusal: StorageFailure, Hashable, CustomStringConvertible {
    let publicStatus: Int
    let publicDetail: String
    let description: String

    /// - Parameter log: The text for the log, if it isn't that for the client.
    init(_ status: Int, _ detail: String, log: String? = nil) {
        (self.publicStatus, self.publicDetail, self.description) = (status, detail, log ?? detail)
    }

    /// A condition that isn't met.
    static func failed(_ condition: PathCondition) -> Self {
        let lacks = "No file has this name (If-Match)."
        let taken = "A file already has this name (If-None-Match)."
        return Self(412, condition == .isTaken ? lacks : taken)
    }

    /// `If-Match: *` for a file that exists, in a storage that replaces none. A new name isn't what the client asked for.
    static let irreplaceable = Self(409, "The file exists, and files are not replaced here (If-Match).")

    /// A name that is reserved by another upload whose file isn't visible yet, or by a receiver that was killed.
    static let reserved = Self(503, "Another upload has this name, and isn't complete yet: try again later.")

    /// - Throws: If a path is too deep, or has more bytes than this.
    static func check(_ path: SafePath, limit: Int) throws(StorageRefusal) {
        guard path.isTooLong || path.text.utf8.count > limit else { return }
        throw Self(400, "A file's path has more than \(SafePath.maximumDepth, "folder") or \(limit, "byte").")
    }
}

/// A file that is being uploaded. Code that begins one must have it committed, or abandon it.
protocol StorageUpload: Sendable {
    /// Adds the next bytes, also to a digest: two digests of the same bytes are quicker together.
    ///
    /// Returns when more can be added, which limits the memory used.
    func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws
    /// Removes the file. Not called once it was committed.
    func abandon() async
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
        func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
            digest?.update(buffer.readableBytesSpan)
        }
        func abandon() async {}
    }

    func begin(
        _ file: IncomingFile, from content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool) { (Upload(), false) }

    func commit(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        uploads.map { _ in "" }
    }
}

/// Looks regularly for what killed receivers have left in a storage. The next one that starts would find it, too, but it may
/// be another machine's.
struct Sweeper: Service {
    let firstPause: Duration
    /// Looks once.
    /// - Returns: The pause before the next time.
    let sweep: @Sendable () async -> Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var pause = self.firstPause
            while (try? await Task.sleep(for: pause.asWait)) != nil { pause = await self.sweep() }
        }
    }
}
