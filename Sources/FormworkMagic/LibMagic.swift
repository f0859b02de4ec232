import CMagic
import FormworkCore
import Synchronization

// This module's one door to unsafe code and to libmagic, which is looked for when the program runs: a program without it
// builds, starts, and is told that it is missing when it asks for a type.

/// libmagic, which tells a media type from content. Opened when first asked, and safe from any number of threads.
///
/// libmagic's handles serve one thread at a time, so there is a pool of them: a call takes one and gives it back. The
/// database is a file that libmagic maps, so handles share its memory; each takes about 200 KiB besides.
public final class LibMagic: Sendable {
    /// The one with the system's database.
    public static let shared = LibMagic()

    /// A handle of libmagic's, with the database loaded.
    // SAFETY: the pool hands each one to a single caller, who gives it back when done, and libmagic's handles share
    // nothing that changes.
    @safe private struct Handle: @unchecked Sendable {
        var raw: cmagic_t
    }

    /// libmagic's version as a number: 544 is 5.44; `nil` when libmagic isn't installed.
    public static var version: Int? { cmagic_is_available() == 0 ? nil : Int(cmagic_version()) }

    private struct Pool {
        var idle: [Handle] = []
        var failure: FormworkError?
    }

    private let database: String?
    private let pool = Mutex(Pool())

    /// libmagic with a database of its own.
    /// - Parameter database: The database's path, or several with `:` between; `nil` takes `$MAGIC`, else the system's.
    public init(database: String? = nil) { self.database = database }

    deinit {
        // SAFETY: nobody has a handle any more, because whoever had would keep this object.
        self.pool.withLock { pool in for handle in pool.idle { unsafe cmagic_close(handle.raw) } }
    }

    /// Why libmagic can't be used; `nil` as long as it can or wasn't asked. Once it failed it isn't asked again.
    public var failure: FormworkError? { self.pool.withLock(\.failure) }

    /// The media type of content that begins with `head`, in libmagic's own words.
    /// - Parameter charset: Whether `; charset=…` is added for text.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` when the database can't be loaded or libmagic fails.
    public func mediaType(of head: [UInt8], charset: Bool = false) throws(FormworkError) -> String {
        let handle = try self.take()
        defer { self.pool.withLock { $0.idle.append(handle) } }
        let flags = Int32(charset ? CMAGIC_MIME_TYPE | CMAGIC_MIME_ENCODING : CMAGIC_MIME_TYPE)
        // SAFETY: the handle is ours until it is given back, the bytes live through the call, and libmagic's answer
        // lives until the handle's next call.
        let answer = unsafe head.withUnsafeBytes { bytes -> String? in
            unsafe cmagic_setflags(handle.raw, flags)
            return unsafe cmagic_buffer(handle.raw, bytes.baseAddress, bytes.count).map { unsafe String(cString: $0) }
        }
        guard let answer else { throw Self.error("libmagic can't look at the content", handle) }
        return answer
    }

    private func take() throws(FormworkError) -> Handle {
        let (idle, failure) = self.pool.withLock { ($0.idle.popLast(), $0.failure) }
        if let idle { return idle }
        if let failure { throw failure }
        do throws(FormworkError) {
            return try self.open()
        } catch {
            self.pool.withLock { $0.failure = error }
            throw error
        }
    }

    private func open() throws(FormworkError) -> Handle {
        guard cmagic_is_available() != 0 else {
            throw FormworkError(
                .sourceUnavailable,
                "libmagic isn't installed: install libmagic1 (Debian), file-libs (Fedora) or libmagic (Homebrew)")
        }
        // SAFETY: C calls that keep nothing of what they are passed.
        guard let raw = unsafe cmagic_open(Int32(CMAGIC_MIME_TYPE)) else {
            throw FormworkError(.sourceUnavailable, "libmagic can't be opened")
        }
        let handle = unsafe Handle(raw: raw)
        let result =
            if let database = self.database {
                unsafe database.withCString { unsafe cmagic_load(raw, $0) }
            } else {
                unsafe cmagic_load(raw, nil)
            }
        guard result == 0 else {
            var error = Self.error("libmagic's database can't be loaded: install libmagic-mgc, or set MAGIC", handle)
            error.path = self.database
            unsafe cmagic_close(raw)
            throw error
        }
        return handle
    }

    private static func error(_ message: String, _ handle: Handle) -> FormworkError {
        // SAFETY: the text lives until the handle's next call.
        let reason = unsafe cmagic_error(handle.raw).map { unsafe String(cString: $0) }
        return FormworkError(.sourceUnavailable, message + (reason.map { " (\($0))" } ?? ""))
    }
}
