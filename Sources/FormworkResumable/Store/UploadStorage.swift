import Formwork

/// A storage for uploads that aren't complete yet, for an ``UploadStore`` without a folder: object storage, a database,
/// memory.
///
/// An upload has a name, a record, and bytes that grow only at their end. A record has a few kilobytes, which only the
/// ``UploadStore`` interprets. Calls for one upload come one after another; those for several may be concurrent. After
/// an error the client gets 503 or 507, the upload is kept, and the client tries again.
package protocol UploadStorage: Sendable {
    /// Stores a new upload, which has no bytes yet.
    /// - Parameters:
    ///   - name: 32 lower-case hexadecimal digits that no other upload has.
    ///   - record: The record, which ``record(of:)`` returns from now on.
    /// - Throws: Any error; the upload doesn't exist then.
    func create(_ name: String, record: [UInt8]) async throws

    /// An upload's record; `nil` if there is no such upload.
    func record(of name: String) async throws -> [UInt8]?

    /// Replaces an upload's record atomically: a reader gets the old one or the new one.
    func keep(_ record: [UInt8], of name: String) async throws

    /// How many bytes an upload has; 0 if there is none.
    func count(of name: String) async throws -> Int64

    /// Opens an upload's bytes to append to them.
    /// - Parameter memory: The memory of the request that has it opened; `nil` without a limit.
    /// - Returns: `nil` if there is no such upload, or its bytes were discarded.
    /// - Throws: ``UploadIsBusy`` while another process has it open. A storage that several processes use may instead let
    ///   the last one that opened it continue: then the calls of the others' ``UploadContent`` throw ``UploadIsBusy``,
    ///   and change nothing. A storage that one process uses alone needs neither.
    func open(_ name: String, for memory: (any UploadMemory)?) async throws -> (any UploadContent)?

    /// Removes an upload's bytes and keeps its record: the upload was processed, but its answer may be requested again.
    func discardBytes(of name: String) async throws

    /// Removes an upload; not an error if there is none.
    func discard(_ name: String) async throws

    /// The names of all uploads, in any order.
    func names() async throws -> [String]

    /// Seconds since an upload's bytes or record last changed; `nil`, the default, if that isn't known. If there are
    /// too many uploads, those idle the longest are removed first; without it, the oldest.
    func idleTime(of name: String) async throws -> Double?
}

extension UploadStorage {
    /// Not known.
    func idleTime(of name: String) async throws -> Double? { nil }
}

/// The bytes of one upload, opened by ``UploadStorage/open(_:)`` for one user at a time.
package protocol UploadContent: Sendable {
    /// Appends bytes, which ``UploadStorage/count(of:)`` includes after ``sync()`` at the latest. After an error, that count
    /// shows how many were appended.
    /// - Parameters:
    ///   - bytes: What to append.
    ///   - offset: The number of bytes so far.
    func append(_ bytes: [UInt8], at offset: Int64) async throws

    /// Removes the bytes after the first `count`.
    func truncate(to count: Int64) async throws

    /// Frees the space of bytes that were discarded.
    func empty() async throws

    /// Waits until the bytes would survive a loss of power, if the storage supports that. Nothing is reported to the client
    /// before. A storage with expensive small writes may collect bytes until then.
    func sync() async throws

    /// All bytes, which can be read repeatedly while the complete upload is processed, until ``close()``.
    /// - Parameter count: The number of bytes.
    func finished(count: Int64) async throws -> BodySource

    /// Releases the upload for other processes. Called once, last.
    func close() async

    /// Asks the storage to observe the bytes while they are appended, so that another process can continue to observe them.
    /// Called before anything is appended.
    /// - Returns: Whether it does; `false` by default.
    func observe(_ wanted: UploadObservation) async -> Bool

    /// Digests of all bytes: those that were wanted, and for which all of them were observed.
    func digests(count: Int64) async -> [DigestValue]
}

/// The memory that the buffers of one request may use.
package protocol UploadMemory: Sendable {
    /// Waits until the request may use this many bytes more. ``release(_:)`` must follow.
    func take(_ count: Int) async throws
    func release(_ count: Int)
}

/// What will be needed of an upload when it is complete.
package struct UploadObservation: Sendable {
    /// The type of a multipart form, with its boundary; `nil` for another upload.
    package var form: String?
    /// Whether the SHA-256 of each of the form's files is needed.
    package var digestsFiles: Bool
    /// The algorithms of the digests of all bytes that are needed.
    package var algorithms: Set<String>
}

extension UploadContent {
    func empty() async throws { try await self.truncate(to: 0) }
    /// Does nothing by default.
    func sync() async throws {}
    func observe(_ wanted: UploadObservation) async -> Bool { false }
    func digests(count: Int64) async -> [DigestValue] { [] }
}

/// Another process has the upload open: the client is asked to try again after a second.
package struct UploadIsBusy: Error {
    /// Creates the error.
    package init() {}
}
