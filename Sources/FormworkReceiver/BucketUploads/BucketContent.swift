#if Transfer
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkNIO
import FormworkResumable
import NIOCore

/// The bytes of one upload in a bucket, as one receiver adds to them.
///
/// Bytes are collected into parts, which are sent several at a time. They count when ``sync()`` has written the upload's
/// state, which the store accepts only from the receiver that has read the current one. So of two receivers one continues,
/// and the other gets ``UploadIsBusy`` with its next change; its parts and tail are in nobody's state.
actor BucketContent: UploadContent {
    private enum Status {
        case open
        /// Another receiver has changed the upload, or a request has failed. What the state doesn't have is lost.
        case failed(any Error)
        case closed
    }

    private struct Part {
        var number: Int
        var size: Int64
        var sending: Task<Void, any Error>
    }

    private let uploads: BucketUploads
    nonisolated let name: String
    private var status = Status.open
    private var state: BucketState
    /// The state's entity tag.
    private var tag: String
    /// The bytes when it was opened.
    private let opened: BucketState.Bytes
    /// Parts that aren't in the state yet, in order.
    private var sent: [Part] = []
    /// Bytes after the last part; `nil` if they are those of the state's tail, which hasn't been read.
    private var buffer: ByteBuffer?
    /// Whether the buffer is what the state's tail has.
    private var isTailCurrent = true
    /// Numbers for parts that this receiver may send.
    private var claimed = 0..<0

    init(_ name: String, in uploads: BucketUploads, _ state: BucketState, tag: String) {
        (self.name, self.uploads, self.state, self.tag) = (name, uploads, state, tag)
        self.opened = state.bytes
        if state.bytes.tail == nil { self.buffer = ByteBuffer() }
    }

    private var client: S3Client { self.uploads.client }
    private var dataKey: String { self.uploads.key(self.name, .data) }

    /// Bytes in parts, those that are being sent included.
    private var inParts: Int64 { self.sent.reduce(self.state.bytes.inParts) { $0 + $1.size } }

    /// All bytes, whether or not they count yet.
    private var count: Int64 {
        self.inParts + (self.buffer.map { Int64($0.readableBytes) } ?? self.state.bytes.tail?.count ?? 0)
    }

    // MARK: UploadContent

    func append(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.working {
            guard offset == self.count else { throw UploadIsBusy() }
            try await self.readTail()
            var rest = bytes[...]
            while !rest.isEmpty {
                let size = self.sizeOfNextPart
                // A full part is sent when more bytes come: the last part may be shorter, but not empty.
                if self.buffer?.readableBytes ?? 0 >= size { try await self.sendPart() }
                let count = min(rest.count, size - (self.buffer?.readableBytes ?? 0))
                self.buffer?.writeBytes(rest.prefix(count))
                self.isTailCurrent = false
                rest = rest.dropFirst(count)
            }
        }
    }

    func truncate(to count: Int64) async throws {
        try await self.working {
            guard count < self.count else { return }
            if count >= self.inParts {
                try await self.readTail()
                self.buffer = self.buffer?.getSlice(
                    at: self.buffer?.readerIndex ?? 0, length: Int(count - self.inParts))
                self.isTailCurrent = false
                return try await self.save()
            }
            // What isn't in the state is forgotten.
            await self.cancelParts()
            (self.buffer, self.isTailCurrent) = (nil, true)
            if count < self.state.bytes.count {
                guard let mark = self.state.mark, mark.count == count else {
                    throw FormworkError(.writeFailed, "the bytes of an upload in \(self.uploads.place) can't be cut")
                }
                try await self.commit { $0.bytes = mark }
            }
            if self.state.bytes.tail == nil { self.buffer = ByteBuffer() }
        }
    }

    func sync() async throws { try await self.working { try await self.save() } }

    func finished(count: Int64) async throws -> BodySource {
        try await self.working {
            guard self.count == count else { throw UploadIsBusy() }
            if let placing = self.state.placing {
                _ = try await self.client.abortUpload(placing.key, id: placing.upload)
            }
            if case .object = self.state.place {
                // A receiver that was overtaken must not process it as well.
                try await self.commit { $0.placing = nil }
            } else if self.inParts == 0 {
                try await self.save()
                try await self.readTail()
                try await self.commit { _ in }
                return .bytes(self.buffer ?? ByteBuffer())
            } else {
                try await self.complete()
            }
            self.uploads.finished(self, length: count)
            return self.uploads.source(self.name, length: count)
        }
    }

    func close() async {
        await self.cancelParts()
        self.uploads.closed(self)
        self.status = .closed
        self.buffer = nil
    }

    /// Makes sure that this receiver still has the upload, and notes what makes its file.
    func confirm(_ key: String, _ upload: String) async throws {
        try await self.working { try await self.commit { $0.placing = BucketState.Placing(key: key, upload: upload) } }
    }

    // MARK: The record

    /// Replaces the record.
    func keep(_ record: [UInt8]) async throws {
        try await self.working { try await self.commit { $0.record = Data(record) } }
    }

    /// Removes the bytes, or the whole upload.
    func discard(_ place: BucketState.Place) async throws {
        try await self.working {
            await self.cancelParts()
            try await self.commit { state in
                (state.place, state.bytes, state.mark) = (place, BucketState.Bytes(), nil)
            }
            (self.buffer, self.isTailCurrent) = (ByteBuffer(), true)
            await self.uploads.removeBytes(of: self.name)
        }
    }

    // MARK: Steps

    /// After an error nothing more can be done with it.
    private func working<Result>(_ body: () async throws -> Result) async throws -> Result {
        switch self.status {
        case .open: break
        case .failed(let error): throw error
        case .closed: throw CancellationError()
        }
        do { return try await body() } catch {
            await self.cancelParts()
            if case .open = self.status { self.status = .failed(error) }
            throw self.uploads.explained(error)
        }
    }

    /// Writes the next version of the state.
    private func commit(_ change: (inout BucketState) -> Void) async throws {
        var next = self.state.changed()
        // The bytes when this receiver began: only they may have to be restored.
        next.mark = self.opened
        change(&next)
        let old = self.state.tails
        guard
            let tag = try await self.client.put(
                next.encoded(), key: self.uploads.key(self.name, .state), if: self.uploads.current(self.tag))
        else { throw UploadIsBusy() }
        (self.state, self.tag) = (next, tag)
        // If this fails, they go with the upload.
        for key in old.subtracting(next.tails) { try? await self.client.delete(key, versionID: nil) }
    }

    /// Waits for the parts, and writes the rest and the state.
    private func save() async throws {
        try await self.waitForParts(atMost: 0)
        guard !self.sent.isEmpty || !self.isTailCurrent else { return }
        var bytes = self.bytesWithSent
        if let buffer {
            bytes.tail = nil
            if buffer.readableBytes > 0 {
                let key = self.uploads.key(self.name, .tail(fence: self.state.fence + 1))
                try await self.client.put(buffer, key: key)
                bytes.tail = BucketState.Tail(key: key, count: Int64(buffer.readableBytes))
            }
        }
        try await self.commit { $0.bytes = bytes }
        (self.sent, self.isTailCurrent) = ([], true)
    }

    /// The state's bytes and the parts that were sent since.
    private var bytesWithSent: BucketState.Bytes {
        var bytes = self.state.bytes
        // The tail is the beginning of the first part that was sent.
        if !self.sent.isEmpty { bytes.tail = nil }
        for part in self.sent { bytes.add(part: part.number, size: part.size) }
        return bytes
    }

    private func readTail() async throws {
        guard self.buffer == nil else { return }
        guard let tail = self.state.bytes.tail else { return self.buffer = ByteBuffer() }
        self.buffer = try await self.client.read(tail.key, 0..<tail.count)
    }

    private var sizeOfNextPart: Int {
        self.uploads.partSize(number: self.claimed.isEmpty ? self.state.nextPart : self.claimed.lowerBound)
    }

    /// A number for the next part.
    private func takeNumber() async throws -> Int {
        if self.claimed.isEmpty { try await self.claim() }
        guard let number = self.claimed.popFirst(), number <= S3Storage.maximumParts else {
            throw FormworkError(
                .limitExceeded, "an upload has more than the \(S3Storage.maximumParts) parts that an object can have")
        }
        return number
    }

    /// Claims part numbers, and saves the parts that have arrived.
    private func claim() async throws {
        let upload: String
        if case .parts(let begun) = self.state.place {
            upload = begun
        } else {
            upload = try await self.client.createUpload(self.dataKey, contentType: nil, marker: self.name)
        }
        try await self.waitForParts(atMost: 0)
        let bytes = self.bytesWithSent
        var claimed = 0..<0
        try await self.commit { state in
            (state.place, state.bytes) = (.parts(upload: upload), bytes)
            claimed = state.claim(BucketUploads.claim)
        }
        (self.sent, self.claimed) = ([], claimed)
    }

    private func sendPart() async throws {
        guard let body = self.buffer else { return }
        let number = try await self.takeNumber()
        guard case .parts(let upload) = self.state.place else { return }
        try await self.waitForParts(atMost: self.uploads.parallelism - 1)
        let (client, key) = (self.client, self.dataKey)
        // Not a child task: the part outlives the call that filled it. save(), claim() and close() wait for each.
        let sending = Task {
            _ = try await client.uploadPart(body, number: number, key: key, id: upload)
        }
        self.sent.append(Part(number: number, size: Int64(body.readableBytes), sending: sending))
        self.buffer = ByteBuffer()
        self.isTailCurrent = false
    }

    /// Waits until at most this many parts are being sent. The oldest are waited for first.
    private func waitForParts(atMost count: Int) async throws {
        for part in self.sent.dropLast(count) { try await part.sending.value }
    }

    private func cancelParts() async {
        let parts = self.sent
        self.sent = []
        for part in parts { part.sending.cancel() }
        for part in parts { _ = await part.sending.result }
    }

    /// Makes an object of the parts.
    private func complete() async throws {
        try await self.readTail()
        if let buffer, buffer.readableBytes > 0 { try await self.sendPart() }
        // Saved before the object is made: another receiver must be able to make it, too.
        try await self.save()
        guard case .parts(let upload) = self.state.place else { return }
        let length = self.state.bytes.count
        if let tags = try await self.client.tags(of: self.dataKey, id: upload) {
            let parts = self.state.bytes.numbers.compactMap { number in tags[number].map { (number, $0) } }
            _ = try await self.client.completeUpload(
                self.dataKey, id: upload, parts: parts, length: length, marker: self.name, isConditional: false)
        } else {
            // The receiver before made it, and ended.
            guard let object = try await self.client.head(self.dataKey), object.marker == self.name,
                object.length == length
            else { throw FormworkError(.writeFailed, "the parts of an upload in \(self.uploads.place) are gone") }
        }
        try await self.commit { $0.place = .object }
    }
}
#endif
