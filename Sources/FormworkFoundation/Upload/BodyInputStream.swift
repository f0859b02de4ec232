import Foundation
import Synchronization

/// A planned body as Foundation's `InputStream`, for users of streams.
///
/// On Linux it may be a request's `httpBodyStream`. On Apple's systems URLSession reads only the system's own streams:
/// use `URLRequest.setBody(_:options:)` and ``BodyInputStreams/nextForSession()`` there.
///
/// A read blocks until there are bytes; if the body consists of files and memory, it waits only for the disk. A stream
/// or an async sequence in the body is fetched on other threads: don't read such a body from async code, which may
/// block those threads.
///
/// | status | `read` returns | `hasBytesAvailable` |
/// |---|---|---|
/// | `.notOpen` | -1 | `true` |
/// | `.open` | 1 or more; 0 if `maxLength` is 0 | `true` |
/// | `.atEnd`: the whole body was read | 0 | `false` |
/// | `.error` | -1, and ``streamError`` is the reason | `true` |
/// | `.closed` by ``close()`` | -1 | `false` |
///
/// A read may return fewer bytes than requested although more follow: at the end of a part that is a stream, or of a
/// packet of a rate limit. Only 0 is the end.
public final class BodyInputStream: InputStream {
    let feed: BodyFeed
    /// Whether the reader closed the stream. The feed is also closed internally, when an upload is cancelled or a newer
    /// stream replaces this one: then URLSession, which may be reading, must get an error and not the end.
    private let wasClosed = Atomic(false)

    init(_ feed: BodyFeed) {
        self.feed = feed
        super.init(data: Data())
    }

    /// The stream that URLSession can read: this one, or on Apple's systems a stream of the system's own that this one's
    /// bytes fill. Call it once, and don't read this stream then.
    func forSession() -> InputStream {
        #if canImport(Darwin)
        BoundStream.reading(self.feed)
        #else
        self
        #endif
    }

    /// Makes the stream readable. Later calls do nothing.
    public override func open() { self.feed.open() }

    /// Ends reading, including a waiting read, which returns -1. A second call does nothing; after an error the status
    /// stays `.error`.
    ///
    /// While URLSession is reading the stream, cancel the task instead: it takes a closed stream for the body's end.
    public override func close() {
        self.wasClosed.store(true, ordering: .releasing)
        self.feed.close()
    }

    /// Writes the next bytes, at most `len`, into `buffer`.
    /// - Returns: The number of bytes written, which may be less than `len` even before the end; 0 at the end of a
    ///   whole body; -1 before ``open()``, after ``close()``, during another read, and after an error, which is then
    ///   ``streamError``.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard !self.wasClosed.load(ordering: .acquiring) else { return -1 }
        // SAFETY: the caller provides `len` bytes during the call, and the span doesn't outlive it.
        var room = unsafe MutableRawSpan(_unsafeStart: buffer, byteCount: max(0, len))
        return self.feed.read(into: &room) ?? -1
    }

    /// `false` after the last byte and after ``close()``. For a stream that failed, or that a newer one of
    /// ``BodyInputStreams`` replaced, it is `true` until it is closed, and reading returns -1: Foundation takes `false`
    /// for the end of a whole body.
    public override var hasBytesAvailable: Bool {
        !self.wasClosed.load(ordering: .acquiring) && !self.feed.isComplete
    }

    /// The stream's status.
    public override var streamStatus: Stream.Status { self.feed.status }

    /// The ``FormworkError`` that ended the stream; `nil` in every status except `.error`. It can be read at any time.
    public override var streamError: (any Error)? { self.feed.failure }

    /// Always `false`: use ``read(_:maxLength:)``, which copies the bytes.
    public override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    /// Always `nil`: there are no properties.
    public override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    /// Always `false`: there are no properties.
    public override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Does nothing: the stream has no events for a run loop.
    public override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    /// Does nothing, like ``schedule(in:forMode:)``.
    public override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

extension BodyPlan {
    /// A stream of the whole body, not yet open.
    ///
    /// For a plan that can be read only once, only the first stream is complete; ``BodyInputStreams`` refuses a second
    /// one.
    public func makeInputStream(options: ReaderOptions = ReaderOptions()) -> BodyInputStream {
        BodyInputStream(BodyFeed(self, options: options))
    }
}
