#if os(Linux)
import FormworkHTTP
@testable import FormworkReceiver
@testable import FormworkResumable
import Foundation

/// A client of one receiver, which speaks tus, and the receiver itself.
final class ModelClient: Sendable {
    private let run: ModelRun
    private let length: Int
    private let storage: S3Storage
    private let uploads: BucketUploads
    private let store: UploadStore
    private let handler: ResumableHandler

    init(_ run: ModelRun, _ receiver: Int, length: Int, _ rig: ModelRig) {
        (self.run, self.length) = (run, length)
        var options = S3Storage.Options()
        (options.partSize, options.partsAtOnce) = (ModelRun.partSize, 2...2)
        // No clock counts here.
        options.patience.delay = .zero
        let storage = S3Storage(
            location: try! S3Location("s3://bucket/in"), exchange: rig.exchanges[receiver], smallestPart: 1,
            options: options,
            logger: ModelRig.logger)
        self.storage = storage
        self.uploads = BucketUploads(storage)
        self.store = UploadStore(
            storage: self.uploads, options: UploadStoreOptions(), makeExecutor: { ModelLoop.Executor() })
        let intake = UploadIntake(storage: storage, limits: ReceivingLimits(), keeping: .init(isDigesting: false))
        // As in `Exchange.resume(_:)`.
        self.handler = ResumableHandler(self.store) { upload in
            var incoming = IncomingUpload(.file(SafePath("a.bin")!, contentType: nil), length: upload.length)
            incoming.resumed = (upload.name, upload.created)
            do {
                _ = try await intake.take(
                    incoming,
                    StoredBody(
                        content: upload.content, upload: upload.name, length: upload.length, digests: upload.digests))
                return ResumableResponse(.created)
            } catch {
                let problem = FailedUpload(error).problem
                guard problem.status < 500 else { throw error }
                return ResumableResponse(problem)
            }
        }
    }

    private func request(
        _ method: HTTPRequest.Method, _ fields: [String: String], _ body: [[UInt8]] = []
    ) async -> ResumableResponse? {
        var request = HTTPRequest(method: method, scheme: "http", authority: "a", path: "/")
        if !self.run.path.isEmpty { request.path = self.run.path }
        request.headerFields[HTTPField.Name("Tus-Resumable")!] = "1.0.0"
        for (name, value) in fields { request.headerFields[HTTPField.Name(name)!] = value }
        let chunks = AsyncStream { continuation in
            for chunk in body { continuation.yield(chunk) }
            continuation.finish()
        }
        switch await self.handler.handle(request, body: chunks, inform: { _ in }) {
        case .answer(let answer): return answer
        case .close, .notResumable: return nil
        }
    }

    /// `POST`: begins the upload.
    func create() async {
        let answer = await self.request(.post, ["Upload-Length": "\(self.length)"])
        self.run.created(answer?.response.headerFields[.location] ?? "")
    }

    /// `HEAD`.
    /// - Returns: The offset; `nil` if the client must ask again.
    func offset() async -> Int? {
        let least = self.run.saved
        guard let answer = await self.request(.head, [:]) else { return nil }
        switch answer.response.status.code {
        case 200..<300:
            let offset = answer.response.headerFields[HTTPField.Name("Upload-Offset")!].flatMap { Int64($0) } ?? -1
            self.run.told(offset, least: least)
            return Int(offset)
        case 404, 410: self.run.missed()
        case 423, 500...: break
        case let status: self.run.refused(status)
        }
        return nil
    }

    /// `PATCH`: adds all bytes from an offset.
    /// - Parameter client: The first four bits of each byte; the others are its offset.
    func add(from offset: Int, as client: UInt8, upTo end: Int? = nil) async {
        self.run.adds(client, from: Int64(offset))
        let end = end ?? self.length
        let bytes = (offset..<end).map { client | UInt8($0) }
        let answer = await self.request(
            .patch,
            [
                "Upload-Offset": "\(offset)", "Content-Type": "application/offset+octet-stream",
                "Content-Length": "\(bytes.count)",
            ], [Array(bytes.prefix(3)), Array(bytes.dropFirst(3))])
        guard let answer else { return }
        switch answer.response.status.code {
        case 200..<300:
            self.run.kept(client, offset..<end)
            self.run.told(Int64(end), least: 0)
        case 404, 410: self.run.missed()
        // Another client has added bytes.
        case 409 where String(decoding: answer.content, as: UTF8.self).contains("mismatching-upload-offset"): break
        case 423, 500...: break
        case let status: self.run.refused(status)
        }
    }

    /// Continues until the upload is complete, or others are in the way too often.
    func continued(as client: UInt8, upTo end: Int? = nil, tries: Int = 1) async {
        let end = end ?? self.length
        for _ in 0..<tries {
            guard let offset = await self.offset() else { continue }
            if offset >= end { return }
            await self.add(from: offset, as: client, upTo: end)
        }
    }

    /// Stores bytes as a receiver does that is killed before it processes them.
    func fill(_ count: Int) async {
        self.run.adds(0x20, from: 0)
        let name = String(self.run.path.split(separator: "/").last ?? "")
        guard let content = try? await self.uploads.open(name, for: nil) else { return }
        try? await content.append((0..<count).map { 0x20 | UInt8($0) }, at: 0)
        try? await content.sync()
        await content.close()
    }

    /// The same, and it must succeed: nobody else is there.
    func complete(as client: UInt8, tries: Int) async {
        await self.continued(as: client, tries: tries)
        if await self.offset() != self.length { self.run.stuck() }
    }

    /// Asks for the answer again.
    func expectAnswer() async {
        if await self.offset() != self.length { self.run.stuck() }
    }

    /// Removes what has expired, at a time when everything has.
    func expire() async { await self.store.removeExpired(now: Date(timeIntervalSinceNow: 30 * 86_400)) }

    /// Removes everything that is left over, at a time when all of it is old.
    func sweep() async {
        await self.expire()
        try? await self.uploads.removeLeftovers()
        _ = try? await self.storage.sweep(olderThan: .seconds(3_600))
    }
}
#endif
