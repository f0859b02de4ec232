import Formwork
import HTTPTypes

/// The content of one request, while it arrives and is added to an upload.
struct UploadReception<Body: AsyncSequence & Sendable>: Sendable where Body.Element: BodyChunk {
    let upload: StoredUpload
    let turn: StoredUpload.Turn
    /// The content's length; `nil` if the request didn't announce it.
    let expected: Int64?
    let body: Body
    /// The interval between two reports of progress.
    let progressInterval: Duration
    /// Whether there is room for this many bytes.
    let fits: @Sendable (_ missing: Int64) async -> Bool
    /// Sends a 1xx answer.
    let inform: @Sendable (HTTPResponse) async throws -> Void

    enum End: Sendable {
        case ended(wasWhole: Bool)
        case refused(ResumableResponse)
        /// Another request continues the upload.
        case superseded
    }

    /// - Throws: ``StoredUpload/Failure``.
    func run() async throws -> End {
        let start = await self.upload.offset
        return try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask { try await self.receive() }
            group.addTask { try await self.reportInSilence(from: start) }
            group.addTask {
                for await _ in self.turn.isOver {}
                return .superseded
            }
            // The turn also ends with a refusal: the content's own result counts.
            var result = End.superseded
            while let next = try await group.next() {
                group.cancelAll()
                if case .superseded = next { continue }
                result = next
            }
            return result
        }
    }

    private func receive() async throws -> End {
        // A tus creation has a length of 0 if its content, if any, isn't part of the upload.
        if self.expected == 0 { return .ended(wasWhole: true) }
        var received: Int64 = 0
        /// The bytes for which there is room.
        var granted: Int64 = 0
        var lastInform = ContinuousClock.now
        var iterator = self.body.makeAsyncIterator()
        while true {
            let next: Body.Element?
            do { next = try await iterator.next(isolation: #isolation) } catch { return .ended(wasWhole: false) }
            guard let chunk = next else { break }
            let end = received + Int64(chunk.byteCount)
            if end > granted { granted = try await self.grant(end, after: received) }
            if let answer = try await self.upload.write(chunk, in: self.turn) { return .refused(answer) }
            received = end
            guard ContinuousClock.now - lastInform >= self.progressInterval else { continue }
            lastInform = .now
            try await self.report()
        }
        return .ended(wasWhole: !Task.isCancelled && self.expected ?? received == received)
    }

    /// Saves the bytes that have arrived, and reports them to the client. tus has no such reports.
    private func report() async throws {
        if let progress = try await self.upload.progress(in: self.turn) { try? await self.inform(progress) }
    }

    /// Does that also while the client sends nothing.
    private func reportInSilence(from start: Int64) async throws -> End {
        while !Task.isCancelled {
            do { try await Task.sleep(for: max(self.progressInterval, .seconds(1)).asWait) } catch { break }
            let offset = await self.upload.offset
            if offset != start, await self.upload.reported != offset { try await self.report() }
        }
        return .superseded
    }

    /// Looks whether there is room for the next bytes: the length may be unknown, and others use the disk too.
    /// - Returns: How many bytes of the content may be written.
    /// - Throws: `full`.
    private func grant(_ end: Int64, after received: Int64) async throws -> Int64 {
        // Not for each chunk.
        let further = max(end, min(received + (1 << 20), self.expected ?? .max))
        for most in [further, end] where await self.fits(most - received) { return most }
        throw StoredUpload.Failure.full(StoredUpload.Failure.noRoom)
    }
}
