import Formwork
import FormworkSystem
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The source of a body's buffers for one consumer, which may stop it. Some buffers are read ahead, and the last is held
/// back until the source has proved to match its plan (``BufferPipe``).
package final class BufferFeed: Sendable {
    private struct State: Sendable {
        var given: Int64 = 0
        var isComplete = false
        var failure: FormworkError?
        /// Why no more buffers are given.
        var stop: Stop?
        /// How long to delay a consumer the next time that it asks after a stop.
        var hold = Duration.milliseconds(1)
    }

    /// Why a feed gives no more.
    private enum Stop: Sendable {
        /// The client won't ask again, unless it already has: then it gets empty buffers.
        case quietly
        /// The connection must not continue as if the body had ended.
        case failing(any Error)
    }

    let length: Int64?
    private let pipe: BufferPipe
    /// How many buffers the consumer may hold; `nil` for any number.
    private let bound: Int?
    private let state = WatchedState(State())

    /// Feeds a consumer that signals back-pressure.
    init(_ plan: BodyPlan, size: Int, allocator: ByteBufferAllocator, options: ReaderOptions) {
        (self.length, self.bound) = (plan.contentLength, nil)
        self.pipe = BufferPipe(
            BodyReader(plan, options: options), length: plan.contentLength, size: size, allocator: allocator)
    }

    /// Feeds a consumer that only releases buffers when they are sent: at most 1 MiB is on its way, or 2 MiB of a body
    /// that arrives while it is sent.
    /// - Parameters:
    ///   - reader: A reader, maybe of a range of its plan.
    ///   - length: The bytes in that range; `nil` if only the end shows them.
    package init(_ reader: sending BodyReader, of plan: BodyPlan, length: Int64?) {
        // A body that arrives while it is sent comes in the pieces of a network, which may be smaller.
        let (size, bound) = plan.isReplayable ? (512 << 10, 2) : (256 << 10, 8)
        (self.length, self.bound) = (length, bound)
        self.pipe = BufferPipe(reader, length: length, size: size)
    }

    deinit { self.pipe.stop(CancellationError()) }

    /// Bytes given.
    package var count: Int64 { self.state.withLock { $0.given } }
    /// Whether all bytes were given, and match the plan.
    package var isComplete: Bool { self.state.withLock { $0.isComplete } }
    package var failure: FormworkError? { self.state.withLock { $0.failure } }

    /// The next bytes; `nil` at the end of a whole body. One caller at a time.
    package func next() async throws -> ByteBuffer? {
        do {
            if self.isComplete { return nil }
            if let bound { try await self.pipe.waitForRoom(below: bound) }
            let buffer = try await self.pipe.next()
            // A stop in the meantime takes precedence.
            if let stopped = try await self.stopped() { return stopped }
            self.state.withLock { state in
                state.given += Int64(buffer?.readableBytes ?? 0)
                state.isComplete = buffer == nil || state.given == self.length
            }
            return buffer
        } catch {
            if let stopped = try await self.stopped() { return stopped }
            self.state.withLock { if $0.failure == nil { $0.failure = error as? FormworkError } }
            throw error
        }
    }

    /// Whether a body counts as delivered when the server answered, maybe early, that it has it: all of it was given, or it
    /// is short (``EarlySuccess``).
    ///
    /// If the length isn't known, the end decides: a server that finds the end by the body's own syntax may answer before it.
    /// The end is waited for one second, as is the rest of a short body, which may turn out to have changed.
    package func wasAllGiven() async -> Bool {
        let given = self.count
        if let length = self.length, length <= EarlySuccess.believedLength {
            await self.state.wait(for: .seconds(1)) { $0.isComplete || $0.failure != nil || $0.stop != nil }
            return self.failure == nil
        }
        guard self.length == nil, given > 0 else { return self.isComplete }
        guard await self.pipe.ends(after: given) else { return false }
        self.state.withLock { $0.isComplete = true }
        return true
    }

    /// Stops reading and closes open files; a consumer that asks again gets this error.
    package func stop(_ error: any Error) { self.stop(.failing(error)) }

    /// The same, but a consumer that asks again gets empty buffers, with growing delays, until ``stop(_:)``.
    package func stopQuietly() { self.stop(.quietly) }

    private func stop(_ stop: Stop) {
        self.state.withLock { state in
            switch state.stop {
            case nil, .quietly: state.stop = stop
            case .failing: break
            }
        }
        self.pipe.stop(CancellationError())
    }

    private func stopped() async throws -> ByteBuffer? {
        switch self.state.withLock({ $0.stop }) {
        case nil: return nil
        case .failing(let error): throw error
        case .quietly:
            // Until the client notices that it need not ask.
            let hold = self.state.withLock { state in
                defer { state.hold = min(state.hold * 2, .milliseconds(100)) }
                return state.hold
            }
            try await Task.sleep(for: hold.asWait)
            if case .failing(let error) = self.state.withLock({ $0.stop }) { throw error }
            return ByteBuffer()
        }
    }
}

extension HTTPFields {
    /// Sets the fields that describe a body: `Content-Type`, and `Content-Length` if it is known.
    ///
    /// If the length is unknown, HTTP/1.1 needs `Transfer-Encoding: chunked`, which HTTPTypes leaves to the client.
    /// Other versions need nothing.
    public mutating func describeBody(_ plan: BodyPlan) {
        self[.contentType] = plan.contentType
        self[.contentLength] = plan.contentLength.map { String($0) }
    }
}

extension HTTPHeaders {
    /// Sets the fields that describe a body: `Content-Type`, and `Content-Length` or `Transfer-Encoding: chunked`.
    public mutating func describeBody(_ plan: BodyPlan) {
        self.describeBody(plan, isChunked: plan.contentLength == nil)
    }

    package mutating func describeBody(_ plan: BodyPlan, isChunked: Bool) {
        self.replaceOrAdd(name: "Content-Type", value: plan.contentType)
        self.remove(name: "Content-Length")
        self.remove(name: "Transfer-Encoding")
        if !isChunked, let length = plan.contentLength {
            self.add(name: "Content-Length", value: String(length))
        } else {
            self.add(name: "Transfer-Encoding", value: "chunked")
        }
    }
}
