import Foundation

/// A planned body as Foundation's `InputStream`, for `URLRequest.httpBodyStream` and whatever else takes one.
///
/// A read blocks until bytes are there, at most for the disk where the body is files and memory. A stream or an async
/// sequence in it is fetched on other threads: don't read such a body from async code, which may hold those up.
public final class BodyInputStream: InputStream {
    let feed: BodyFeed

    init(_ feed: BodyFeed) {
        self.feed = feed
        super.init(data: Data())
    }

    /// Makes the stream readable; does nothing from the second call on.
    public override func open() { self.feed.open() }

    /// Ends reading, also one that waits: it gives -1. Does nothing after an error or another call.
    public override func close() { self.feed.close() }

    /// Writes the next bytes, at most `len`, into `buffer`.
    /// - Returns: How many were written; 0 at the end of a whole body; -1 before ``open()``, after ``close()``, while another
    ///   read is under way, and on an error, which is then ``streamError``.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        // SAFETY: the caller gives `len` bytes for the time of the call, and the span does not outlive it.
        var room = unsafe MutableRawSpan(_unsafeStart: buffer, byteCount: max(0, len))
        return self.feed.read(into: &room) ?? -1
    }

    /// `false` only behind the last byte: Foundation takes it for the end, so a failed stream says `true`, and then -1.
    public override var hasBytesAvailable: Bool { !self.feed.isComplete }

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
