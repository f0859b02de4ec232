import FormworkHummingbirdCore
import FormworkResumable
import FormworkSystem
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Answers requests, each by an ``Exchange``. This is what they share.
struct Responder: Sendable {
    var router: RequestRouter
    var access: AccessControl
    var connections: Connections
    var pages: Pages
    var intake: UploadIntake
    var slots: UploadSlots
    /// Where uploads that arrive in pieces are kept, and how many each client has; `nil` if they are not accepted.
    var resuming: (store: UploadStore, unfinished: UnfinishedUploads)?
    var metrics: MemoryMetrics?
    var logger: Logger
    var readiness: Readiness

    /// The page and the list of files, as they are shown to all clients.
    struct Pages: Sendable {
        var settings: PageSettings
        var listing: ListScope
        var kept = KeptResponses()
        /// Distinguishes the entity tags of this run from those of other runs.
        var run = RandomWord.make()
    }

    /// Answers one request. A bad request is answered, not thrown: the connection's loop would only close the
    /// connection.
    @concurrent
    func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var exchange = Exchange(self, request.head, channel)
        let decision = exchange.route()
        guard let answer = try await exchange.answer(decision, request.body) else {
            channel.close(promise: nil)
            return
        }
        var response = answer.head(isHTTP2: channel.isHTTP2Stream)
        if answer.hasNoBody { response.headerFields[.contentLength] = nil }
        if let origin = self.router.allowedOrigin(exchange.head) {
            response.headerFields[.accessControlAllowOrigin] = origin
            response.headerFields[.accessControlExposeHeaders] = Self.exposedFields
            response.headerFields.append(HTTPField(name: .vary, value: "Origin"))
        }
        let isBodiless = answer.hasNoBody || exchange.head.method == .head
        try await writer.write(
            response: response, body: isBodiless ? ResponseBody() : ResponseBody(byteBuffer: answer.body))
        // Waits until the client has read an answer that holds memory, or is gone. The channel's handler closes the
        // connection of a client that does neither.
        guard answer.lease != nil else { return }
        try? await channel.triggerUserOutboundEvent(ExchangeHandler.ResponseSent()).get()
        withExtendedLifetime(answer) {}
    }

    /// The fields of answers that another site's page may read.
    private static let exposedFields =
        "Location, Retry-After, Repr-Digest, Upload-Offset, Upload-Length, Upload-Complete, Upload-Limit, Upload-Expires, "
        + "Upload-Metadata, Upload-Concat, Upload-Draft-Interop-Version, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, "
        + "Tus-Checksum-Algorithm"

    /// Logs one line for a refusal that came before there was a request.
    func refused(_ refusal: HeadRefusal, _ channel: any Channel) {
        var metadata: Logger.Metadata = [
            "peer": "\(self.connections.client(of: channel).text)",
            "reason": "\(refusal.problem.detail ?? refusal.problem.title)",
        ]
        guard !refusal.isCut else { return self.logger.notice("client went away", metadata: metadata) }
        self.metrics?.refused(refusal.problem.status)
        metadata["status"] = .stringConvertible(refusal.problem.status)
        if let line = refusal.line {
            let words = line.split(separator: " ", maxSplits: 1)
            metadata["method"] = "\(words.first ?? "")"
            metadata["path"] = "\(RequestPath(String(words.dropFirst().first ?? "")).shown)"
        }
        self.logger.notice("refused", metadata: metadata)
    }
}
