import FormworkEssentials
import FormworkResumable
import HTTPTypes
import Logging

extension Exchange {
    /// The path, without the words of a link. CONNECT has a host instead.
    var shownPath: String {
        self.head.method == .connect ? self.head.authority ?? "" : RequestPath(self.head.path).shown
    }

    /// Logs one line for each file.
    /// - Parameters:
    ///   - duration: That of the last request.
    ///   - resumed: The resumable upload that had the files.
    func log(_ receipt: UploadReceipt, _ duration: Duration, _ resumed: (name: String, begun: Date)?) {
        let duration = resumed.map { max(duration, .seconds(Date.now.timeIntervalSince($0.begun))) } ?? duration
        let seconds = Logger.MetadataValue.stringConvertible(duration.inSeconds)
        for file in receipt.files {
            var metadata: Logger.Metadata = [
                "name": "\(file.name)", "size": .stringConvertible(file.size), "seconds": seconds,
                "status": .stringConvertible(201),
            ]
            metadata["sha256"] = file.sha256.map { "\($0)" }
            metadata["upload"] = resumed.map { "\($0.name)" }
            metadata["field"] = file.field.map { "\($0)" }
            metadata["dropped"] = file.droppedFolders.map { "\($0)" }
            self.logger.info("received", metadata: metadata)
        }
        if let name = receipt.fieldsIn {
            self.logger.info("fields kept", metadata: ["name": "\(name)", "fields": "\(receipt.fieldNames)"])
        } else if receipt.fieldsDropped == true {
            self.logger.notice("fields dropped", metadata: ["fields": "\(receipt.fieldNames)"])
        }
        if receipt.files.isEmpty {
            self.logger.info(
                "received no file",
                metadata: [
                    "fields": .stringConvertible(receipt.fields.count), "status": .stringConvertible(201),
                    "seconds": seconds,
                ])
        }
    }

    /// Logs what happens to a resumable upload before it is complete.
    func log(_ event: Logger.Message, _ name: String, level: Logger.Level = .info, offset: Int64? = nil) {
        var metadata: Logger.Metadata = ["upload": "\(name)"]
        metadata["offset"] = offset.map { .stringConvertible($0) }
        metadata["length"] = self.head.headerFields.uploadLength.map { .stringConvertible($0) }
        self.logger.log(level: level, event, metadata: metadata)
    }

    /// Logs one line for an upload that failed.
    func log(_ failure: FailedUpload, _ duration: Duration? = nil) {
        var metadata: Logger.Metadata = [
            "reason": "\(failure.reason)", "method": "\(self.head.method.rawValue)", "path": "\(self.shownPath)",
        ]
        // The client gets no status if the connection is closed without an answer.
        if !failure.isDropped { metadata["status"] = .stringConvertible(failure.problem.status) }
        metadata["seconds"] = duration.map { .stringConvertible($0.inSeconds) }
        guard !failure.isBusy else {
            return self.logger.notice("upload left to another receiver", metadata: metadata)
        }
        self.logger.log(
            level: failure.problem.status >= 500 ? .error : .warning,
            failure.isConnectionLost ? "client went away" : "upload failed", metadata: metadata)
    }

    /// Logs and counts a request that was refused because of its head.
    func log(_ problem: ProblemDetails, _ reason: RefusalReason? = nil) {
        self.receiver.metrics?.refused(problem.status, reason)
        self.logger.notice(
            "refused",
            metadata: [
                "status": .stringConvertible(problem.status), "reason": "\(problem.detail ?? problem.title)",
                "method": "\(self.head.method.rawValue)", "path": "\(self.shownPath)",
            ])
    }

    /// Logs and counts an answer that refuses to begin or continue an upload. Uploads that aren't there are part of the
    /// protocols.
    func logRefusal(_ answer: ResumableResponse) {
        let (status, fields) = (answer.response.status, answer.response.headerFields)
        switch status.code {
        case 200..<400, 404, 410, 412, 423: return
        case 503 where fields[.retryAfter] == "1": return
        default: break
        }
        self.log(
            answer.problem ?? ProblemDetails(status),
            answer.problem == ResumableResponse.tooMany.problem ? .unfinishedLimit : nil)
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

    private static let field = HTTPField.Name(known: "traceparent")
    /// Lower case only.
    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }
}
