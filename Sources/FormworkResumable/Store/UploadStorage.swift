#if Resumable
import Formwork

/// Where uploads are kept until they are whole, for an ``UploadStore`` that isn't a folder: object storage, a database,
/// memory.
///
/// An upload has a name, a record, and bytes that only grow at their end. A record is a few kilobytes that mean something to
/// the ``UploadStore`` alone. Calls for one upload come one after another; those for several come at once. An error is
/// answered to the client by 503 or 507, the upload stays, and the client comes back.
public protocol UploadStorage: Sendable {
    /// Keeps a new upload, which has no bytes yet.
    /// - Parameters:
    ///   - name: 32 lower-case hexadecimal digits that no other upload has.
    ///   - record: What ``record(of:)`` gives from now on.
    /// - Throws: Anything; the upload then doesn't exist.
    func create(_ name: String, record: [UInt8]) async throws

    /// An upload's record; `nil` when there is no such upload.
    func record(of name: String) async throws -> [UInt8]?

    /// Replaces an upload's record, in one step: a reader gets the old one or the new one.
    func keep(_ record: [UInt8], of name: String) async throws

    /// How many bytes an upload has; 0 when there is none.
    func count(of name: String) async throws -> Int64

    /// Opens an upload's bytes to add to them.
    /// - Returns: `nil` when there is no such upload, or its bytes were discarded.
    /// - Throws: ``UploadIsBusy`` while another process has it open. A storage that one process uses alone needs no lock.
    func open(_ name: String) async throws -> (any UploadContent)?

    /// Removes an upload's bytes and keeps its record: the upload was processed, and its answer may be asked for again.
    func discardBytes(of name: String) async throws

    /// Removes an upload; no error when there is none.
    func discard(_ name: String) async throws

    /// The names of all uploads, in any order.
    func names() async throws -> [String]
}

/// The bytes of one upload, opened by ``UploadStorage/open(_:)`` for one user at a time.
public protocol UploadContent: Sendable {
    /// Adds bytes at the end. All of them are kept when it returns; whether some are when it throws, is asked by
    /// ``UploadStorage/count(of:)``.
    /// - Parameter offset: How many bytes there are by now.
    func append(_ bytes: [UInt8], at offset: Int64) async throws

    /// Removes what is behind the first `count` bytes.
    func truncate(to count: Int64) async throws

    /// Waits until the bytes survive a loss of power, where the storage can say so.
    func sync() async throws

    /// All bytes, to be read by whoever processes the whole upload, any number of times, until ``close()``.
    /// - Parameter count: How many there are.
    func finished(count: Int64) async throws -> BodySource

    /// Lets another process open the upload. Called once, last.
    func close() async
}

extension UploadContent {
    /// Does nothing, unless the storage has its own.
    public func sync() async throws {}
}

/// Another process has the upload open: the client is asked to come back a second later.
public struct UploadIsBusy: Error {
    /// The error, which has no more to say.
    public init() {}
}
#endif
