import CMagic
import FormworkCore
import Synchronization

// This module's only door to unsafe code and to libmagic, which is looked up at run time: without libmagic a program
// builds and starts, and gets an error when it asks for a type.

/// libmagic, which detects a media type from content. It is opened at its first use, and any number of threads can use
/// it.
///
/// A handle of libmagic serves one thread at a time, so there is a pool of them: each call borrows one. libmagic maps
/// its database file, so handles share its memory; each one needs about 200 KiB more.
public final class LibMagic: Sendable {
    /// libmagic with the system's database.
    public static let shared = LibMagic()

    /// A handle of libmagic, with the database loaded.
    // SAFETY: the pool lends each handle to one caller at a time, and libmagic's handles share no mutable state.
    @safe private struct Handle: @unchecked Sendable {
        var raw: cmagic_t
    }

    /// libmagic's version as a number: 544 is 5.44; `nil` if libmagic isn't installed.
    static var version: Int? { cmagic_is_available() == 0 ? nil : Int(cmagic_version()) }

    private static let own = Mutex<@Sendable () -> String?>({ nil })

    /// Finds the database that a program brings along, if libmagic is linked into it. `$MAGIC` comes first.
    package static func useDatabase(_ find: @escaping @Sendable () -> String?) { self.own.withLock { $0 = find } }

    private struct Pool {
        var idle: [Handle] = []
        var failure: FormworkError?
        /// When it failed.
        var failed = ContinuousClock.now
    }

    private let database: String?
    private let retryTime: Duration
    private let pool = Mutex(Pool())

    /// Creates libmagic with its own database.
    /// - Parameter database: The database's path, or several separated by `:`; `nil` for `$MAGIC`, or without it
    ///   the system's.
    public convenience init(database: String? = nil) { self.init(database: database, retryTime: .seconds(1)) }

    /// - Parameter retryTime: How long a failure is remembered before libmagic is opened again.
    init(database: String?, retryTime: Duration) { (self.database, self.retryTime) = (database, retryTime) }

    deinit {
        // SAFETY: no handle is in use any more, because its user would keep this object alive.
        self.pool.withLock { pool in for handle in pool.idle { unsafe cmagic_close(handle.raw) } }
    }

    /// Why libmagic couldn't be used the last time; `nil` if it could or wasn't used yet. After a failure it isn't opened
    /// again for a second: the process may have had too many open files.
    public var failure: FormworkError? { self.pool.withLock(\.failure) }

    /// The media type of content that begins with `head`, unchanged from libmagic.
    /// - Parameters:
    ///   - head: The first bytes of the content. 4 KiB are enough for almost all formats.
    ///   - charset: Whether to add `; charset=…` for text.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` if the database can't be loaded or libmagic fails.
    public func mediaType(of head: [UInt8], charset: Bool = false) throws(FormworkError) -> String {
        let handle = try self.take()
        defer { self.pool.withLock { $0.idle.append(handle) } }
        let flags = Int32(charset ? CMAGIC_MIME_TYPE | CMAGIC_MIME_ENCODING : CMAGIC_MIME_TYPE)
        // SAFETY: the handle is borrowed until it is returned.
        unsafe cmagic_setflags(handle.raw, flags)
        guard let answer = Self.answer(head, handle) else {
            throw Self.error("libmagic can't examine the content", handle)
        }
        return answer
    }

    private static func answer(_ head: [UInt8], _ handle: Handle) -> String? {
        // SAFETY: the bytes live through the call, and libmagic's answer lives until the handle's next call.
        unsafe head.withUnsafeBytes { bytes in
            unsafe cmagic_buffer(handle.raw, bytes.baseAddress, bytes.count).map { unsafe String(cString: $0) }
        }
    }

    /// Closes the handles that no call is using. With the last one the database leaves the memory, which is about 6 MiB.
    /// The next call opens it again.
    package func closeIdle() {
        let idle = self.pool.withLock { pool in
            defer { pool.idle = [] }
            return pool.idle
        }
        // SAFETY: they aren't in the pool any more, so nobody else has them.
        for handle in idle { unsafe cmagic_close(handle.raw) }
    }

    private func take() throws(FormworkError) -> Handle {
        let (idle, failure) = self.pool.withLock { pool in
            let isRecent = ContinuousClock.now - pool.failed < self.retryTime
            return (pool.idle.popLast(), isRecent ? pool.failure : nil)
        }
        if let idle { return idle }
        if let failure { throw failure }
        do throws(FormworkError) {
            let handle = try self.open()
            self.pool.withLock { $0.failure = nil }
            return handle
        } catch {
            self.pool.withLock { ($0.failure, $0.failed) = (error, .now) }
            throw error
        }
    }

    private func open() throws(FormworkError) -> Handle {
        guard cmagic_is_available() != 0 else {
            throw FormworkError(
                .sourceUnavailable,
                "libmagic isn't installed: install libmagic1 (Debian), file-libs (Fedora) or libmagic (Homebrew)")
        }
        // SAFETY: these C calls don't keep their arguments.
        guard let raw = unsafe cmagic_open(Int32(CMAGIC_MIME_TYPE)) else {
            throw FormworkError(.sourceUnavailable, "libmagic can't be opened")
        }
        let handle = unsafe Handle(raw: raw)
        // SAFETY: the environment isn't changed while its text is copied.
        let named = self.database == nil ? unsafe cmagic_named_database().map { unsafe String(cString: $0) } : nil
        let bringsOwn = self.database == nil && named == nil && cmagic_is_linked() != 0
        let database = self.database ?? (bringsOwn ? Self.own.withLock(\.self)() : nil)
        guard unsafe cmagic_load(raw, database) == 0 else {
            let advice = named.map { "MAGIC names \($0): correct or unset it" } ?? "install libmagic-mgc, or set MAGIC"
            var error = Self.error("libmagic's database can't be loaded: \(advice)", handle)
            error.path = database
            unsafe cmagic_close(raw)
            throw error
        }
        // libmagic takes a database of another version for an empty one.
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52]
        if bringsOwn, database == nil, Self.answer(png, handle) != "image/png" {
            unsafe cmagic_close(raw)
            let version = cmagic_version()
            throw FormworkError(
                .sourceUnavailable,
                "libmagic's database of this system isn't for version \(version / 100).\(version % 100), which this program "
                    + "contains: install the program with its folder 'share', or set MAGIC")
        }
        return handle
    }

    private static func error(_ message: String, _ handle: Handle) -> FormworkError {
        // SAFETY: the text lives until the handle's next call.
        let reason = unsafe cmagic_error(handle.raw).map { unsafe String(cString: $0) }
        return FormworkError(.sourceUnavailable, message + (reason.map { " (\($0))" } ?? ""))
    }
}
