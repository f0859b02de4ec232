import Foundation
import Synchronization

/// A planned body as Foundation's `InputStream`, for `URLRequest.httpBodyStream` and whatever else takes one.
///
/// A read blocks until bytes are there, at most for the disk where the body is files and memory. A stream or an async
/// sequence in it is fetched on other threads: don't read such a body from async code, which may hold those up.
///
/// | status | `read` gives | `hasBytesAvailable` |
/// |---|---|---|
/// | `.notOpen` | -1 | `true` |
/// | `.open` | bytes, 1 or more; 0 where `maxLength` is 0 | `true` |
/// | `.atEnd`: the whole body was given | 0 | `false` |
/// | `.error` | -1, and ``streamError`` says why | `true` |
/// | `.closed` by ``close()`` | -1 | `false` |
///
/// A read may give fewer bytes than asked for though more follow: where a part that is a stream, or a packet of a rate limit,
/// ends. Only 0 is the end.
public final class BodyInputStream: InputStream {
    let feed: BodyFeed
    /// Whether its reader is done with it. A feed is also closed from within, when an upload is cancelled or a newer stream
    /// takes its place: then URLSession, which may be reading, has to find an error and no end.
    private let wasClosed = Atomic(false)

    init(_ feed: BodyFeed) {
        self.feed = feed
        super.init(data: Data())
    }

    /// Makes the stream readable; does nothing from the second call on.
    public override func open() { self.feed.open() }

    /// Ends reading, also one that waits: it gives -1. A second call does nothing; after an error the status stays `.error`.
    ///
    /// Of a stream that URLSession is reading, cancel the task instead: a closed stream is an ended body to it.
    public override func close() {
        self.wasClosed.store(true, ordering: .releasing)
        self.feed.close()
    }

    /// Writes the next bytes, at most `len`, into `buffer`.
    /// - Returns: How many were written, which may be fewer than `len` before the end, too; 0 at the end of a whole body;
    ///   -1 before ``open()``, after ``close()``, while another read is under way, and on an error, which is then
    ///   ``streamError``.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard !self.wasClosed.load(ordering: .acquiring) else { return -1 }
        // SAFETY: the caller gives `len` bytes for the time of the call, and the span does not outlive it.
        var room = unsafe MutableRawSpan(_unsafeStart: buffer, byteCount: max(0, len))
        return self.feed.read(into: &room) ?? -1
    }

    /// `false` after the last byte and after ``close()``. A stream that failed, or whose place a newer one of
    /// ``BodyInputStreams`` took, says `true` until it is closed, and then -1: to Foundation `false` is the end of a whole
    /// body.
    public override var hasBytesAvailable: Bool {
        !self.wasClosed.load(ordering: .acquiring) && !self.feed.isComplete
    }

    /// Where reading stands.
    public override var streamStatus: Stream.Status { self.feed.status }

    /// The ``FormworkError`` that ended the stream; `nil` in every status but `.error`. Safe to ask at any time.
    public override var streamError: (any Error)? { self.feed.failure }

    /// Always `false`: bytes are copied by ``read(_:maxLength:)``.
    public override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    /// Always `nil`: there are no properties.
    public override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    /// Always `false`: there are no properties.
    public override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// Does nothing: the stream is pulled from, and no run loop tells of it.
    public override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    /// Does nothing, as ``schedule(in:forMode:)``.
    public override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

extension BodyPlan {
    /// A stream of the whole body, not yet open.
    ///
    /// Of a plan that can be read once only the first stream is whole; ``BodyInputStreams`` refuses a second.
    public func makeInputStream(options: ReaderOptions = ReaderOptions()) -> BodyInputStream {
        BodyInputStream(BodyFeed(self, options: options))
    }
}
