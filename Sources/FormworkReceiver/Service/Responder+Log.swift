import Formwork
import FormworkEssentials
import FormworkHTTP
import FormworkHummingbirdCore
import FormworkResumable
import HTTPTypes
import Logging
import NIOCore

extension Responder {
    /// Logs one line for each file.
    /// - Parameters:
    ///   - duration: That of the last request.
    ///   - resumed: The resumable upload that had the files.
    func log(
        _ receipt: UploadReceipt, _ duration: Duration, _ client: ClientAddress, _ resumed: (name: String, begun: Date)?
    ) {
        let duration = resumed.map { max(duration, .seconds(Date.now.timeIntervalSince($0.begun))) } ?? duration
        for file in receipt.files {
            var metadata: Logger.Metadata = [
                "peer": "\(client.text)", "name": "\(file.name)", "size": .stringConvertible(file.size),
                "seconds": .stringConvertible(duration.inSeconds), "status": .stringConvertible(201),
            ]
            if let digest = file.sha256 { metadata["sha256"] = "\(digest)" }
            if let resumed { metadata["upload"] = "\(resumed.name)" }
            if let field = file.field { metadata["field"] = "\(field)" }
            if let folders = file.droppedFolders { metadata["dropped"] = "\(folders)" }
            self.logger.info("received", metadata: self.linked(metadata))
        }
        switch receipt.fieldKeeping {
        case .none: break
        case .kept(let name):
            self.logger.info(
                "fields kept",
                metadata: self.linked([
                    "peer": "\(client.text)", "name": "\(name)", "fields": "\(receipt.fieldNames)",
                ]))
        case .dropped:
            self.logger.notice(
                "fields dropped",
                metadata: self.linked(["peer": "\(client.text)", "fields": "\(receipt.fieldNames)"]))
        }
        if receipt.files.isEmpty {
            self.logger.info(
                "received no file",
                metadata: self.linked([
                    "peer": "\(client.text)", "fields": .stringConvertible(receipt.fields.count),
                    "status": .stringConvertible(201),
                    "seconds": .stringConvertible(duration.inSeconds),
                ]))
        }
    }

    /// Logs what happens to a resumable upload before it is complete.
    func log(
        _ event: Logger.Message, _ name: String, _ head: HTTPRequest, _ client: ClientAddress,
        level: Logger.Level = .info, offset: Int64? = nil
    ) {
        var metadata: Logger.Metadata = ["peer": "\(client.text)", "upload": "\(name)"]
        metadata["offset"] = offset.map { .stringConvertible($0) }
        metadata["length"] = head.headerFields.uploadLength.map { .stringConvertible($0) }
        self.logger.log(level: level, event, metadata: self.linked(metadata))
    }

    /// Logs one line for an upload that failed.
    func log(_ failure: FailedUpload, _ head: HTTPRequest, _ client: ClientAddress, _ duration: Duration?) {
        var metadata: Logger.Metadata = [
            "peer": "\(client.text)", "reason": "\(failure.reason)",
            "method": "\(head.method.rawValue)", "path": "\(head.shownPath)",
        ]
        // The client gets no status if the connection is closed without an answer.
        if !failure.isDropped { metadata["status"] = .stringConvertible(failure.problem.status) }
        if let duration { metadata["seconds"] = .stringConvertible(duration.inSeconds) }
        let (level, text): (Logger.Level, Logger.Message) =
            if failure.isBusy {
                (.notice, "upload left to another receiver")
            } else {
                (
                    failure.problem.status >= 500 ? .error : .warning,
                    failure.isConnectionLost ? "client went away" : "upload failed"
                )
            }
        self.logger.log(level: level, text, metadata: self.linked(metadata))
    }

    /// Logs one line for an upload that had been stored before.
    func logRepeated(_ head: HTTPRequest, _ client: ClientAddress) {
        self.logger.info(
            "answer repeated",
            metadata: self.linked([
                "peer": "\(client.text)", "method": "\(head.method.rawValue)",
                "path": "\(head.shownPath)",
            ]))
    }

    /// Logs one line for a request that was refused because of its head.
    func log(
        _ problem: ProblemDetails, _ head: HTTPRequest, _ client: ClientAddress, _ reason: RefusalReason? = nil
    ) {
        self.metrics.refused(problem.status, reason ?? RefusalReason(status: problem.status))
        self.logger.notice(
            "refused",
            metadata: self.linked([
                "peer": "\(client.text)", "status": .stringConvertible(problem.status),
                "reason": "\(problem.detail ?? problem.title)", "method": "\(head.method.rawValue)",
                "path": "\(head.shownPath)",
            ]))
    }

    /// Logs and counts an answer that refuses to begin or continue an upload. Uploads that aren't there are part of the
    /// protocols.
    func logRefusal(_ answer: ResumableResponse, _ head: HTTPRequest, _ client: ClientAddress) {
        let (status, fields) = (answer.response.status, answer.response.headerFields)
        switch status.code {
        case 200..<400, 404, 410, 412, 423: return
        case 503 where fields[.retryAfter] == "1": return
        default: break
        }
        let reason: RefusalReason? = answer.problem == ResumableResponse.tooMany.problem ? .unfinishedLimit : nil
        self.log(answer.problem ?? ProblemDetails(status), head, client, reason)
    }

    /// The same, with the link of the request.
    private func linked(_ metadata: Logger.Metadata) -> Logger.Metadata {
        guard let scope else { return metadata }
        return metadata.merging(["link": "\(scope.link.id)"]) { $1 }
    }

    /// Logs one line for a refusal that came before there was a request.
    func refused(_ refusal: HeadRefusal, _ channel: any Channel) {
        var metadata: Logger.Metadata = [
            "peer": "\(self.connections.client(of: channel).text)",
            "reason": "\(refusal.problem.detail ?? refusal.problem.title)",
        ]
        guard !refusal.isCut else { return self.logger.notice("client went away", metadata: metadata) }
        self.metrics.refused(refusal.problem.status, RefusalReason(status: refusal.problem.status))
        metadata["status"] = .stringConvertible(refusal.problem.status)
        if let line = refusal.line {
            let words = line.split(separator: " ", maxSplits: 1)
            metadata["method"] = "\(words.first ?? "")"
            metadata["path"] = "\(RequestPath(String(words.dropFirst().first ?? "")).shown)"
        }
        self.logger.notice("refused", metadata: metadata)
    }
}

extension HTTPRequest {
    /// The path, without the words of a link. CONNECT has a host instead.
    fileprivate var shownPath: String {
        self.method == .connect ? self.authority ?? "" : RequestPath(self.path).shown
    }
}

extension UploadReceipt {
    /// The names of the fields in their order, cut to the length of a log line.
    fileprivate var fieldNames: String { self.fields.map(\.name).joined(separator: ", ").cut(to: 1_000) }
}

extension Duration {
    /// Seconds with three decimals.
    fileprivate var inSeconds: Double { (self / .milliseconds(1)).rounded() / 1_000 }
}

/// The client's place in its trace: the value of `traceparent` (W3C Trace Context, section 3.2).
struct TraceParent: Hashable, Sendable {
    /// Its first four parts; those of a later version may be followed by others.
    let text: String

    /// - Returns: `nil` without a valid value. A field that appears twice is ignored.
    init?(_ fields: HTTPFields) {
        let values = fields[values: Self.field]
        guard values.count == 1 else { return nil }
        self.init(values[0])
    }

    /// - Returns: `nil` for a value that isn't valid.
    init?(_ value: String) {
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] != "ff", parts.count == 4 || parts[0] != "00",
            zip([2, 32, 16, 2], parts).allSatisfy({ $1.utf8.count == $0 && $1.utf8.allSatisfy(Self.isDigit) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        self.text = parts.prefix(4).joined(separator: "-")
    }

    private static let field = HTTPField.Name("traceparent")!  // a token
    /// Lower case only.
    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }
}
