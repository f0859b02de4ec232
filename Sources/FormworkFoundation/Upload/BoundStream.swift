#if canImport(Darwin)
import FormworkCore
import Foundation

// Unsafe code in this file: the calls of Foundation that fill a pair of streams.

/// The writer's end of a pair of bound streams. It passes a feed's bytes on whenever the reader has made room.
///
/// URLSession on Apple's systems is built on CFNetwork, which reads Core Foundation's own streams and doesn't call a
/// subclass of `InputStream`. The reader's end of such a pair is one of its own.
// SAFETY of `@unchecked Sendable`: the state is used only on the queue, where the stream's events arrive too.
final class BoundStream: NSObject, StreamDelegate, @unchecked Sendable {
    /// Bytes between the two ends.
    private static let room = 256 << 10
    /// The most bytes of one read.
    private static let packet = 64 << 10

    private let feed: BodyFeed
    private let output: OutputStream
    private let queue = DispatchQueue(label: "formwork.stream")
    private var bytes: [UInt8] = []
    private var used = 0
    /// A stream doesn't hold its delegate, so this object holds itself until the reader needs nothing more.
    private var itself: BoundStream?

    /// The reader's end of a pair that this feed fills.
    ///
    /// The end of the stream is the end of a whole body. If the feed fails or is closed, the stream gives nothing more
    /// and doesn't end, because a request of unknown length would then be taken for complete: cancel its task.
    static func reading(_ feed: BodyFeed) -> InputStream {
        var input: InputStream?
        var output: OutputStream?
        // SAFETY: both variables outlive the call, which sets them.
        unsafe Stream.getBoundStreams(withBufferSize: Self.room, inputStream: &input, outputStream: &output)
        // Foundation sets both. Without them the body is refused by its reader, which can't read this stream.
        guard let input, let output else { return BodyInputStream(feed) }
        BoundStream(feed, output).start()
        return input
    }

    private init(_ feed: BodyFeed, _ output: OutputStream) {
        (self.feed, self.output) = (feed, output)
        super.init()
    }

    private func start() {
        self.queue.async {
            self.itself = self
            self.feed.open()
            self.output.delegate = self
            CFWriteStreamSetDispatchQueue(self.output as CFWriteStream, self.queue)
            self.output.open()
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable: self.passOn()
        // The reader has closed its end: its task is complete, or reads a newer stream.
        case .errorOccurred, .endEncountered: self.end()
        default: break
        }
    }

    private func passOn() {
        if self.used == self.bytes.count {
            var count: Int? = 0
            (self.bytes, self.used) = ([], 0)
            self.bytes.append(upTo: Self.packet) { room in
                count = self.feed.read(into: &room)
                return count ?? 0
            }
            // Failed or closed. The stream stays open until the reader closes its end.
            guard let count else { return }
            guard count > 0 else { return self.end() }
        }
        // SAFETY: the stream reads inside the array, during the call.
        let count = unsafe self.bytes.withUnsafeBufferPointer { bytes in
            unsafe self.output.write(bytes.baseAddress! + self.used, maxLength: bytes.count - self.used)
        }
        if count > 0 { self.used += count } else { self.end() }
    }

    private func end() {
        guard self.itself != nil else { return }
        CFWriteStreamSetDispatchQueue(self.output as CFWriteStream, nil)
        self.output.delegate = nil
        self.output.close()
        if !self.feed.isComplete { self.feed.close() }
        self.itself = nil
    }
}
#endif
