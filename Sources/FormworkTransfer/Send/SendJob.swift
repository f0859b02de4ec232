#if Transfer
import Formwork
import FormworkClient
import FormworkCommand
import FormworkFiles
import FormworkSystem
import FormworkHTTP
import FormworkNIO
import FormworkResumable

/// Everything needed to start sending.
struct SendJob {
    var plan: BodyPlan
    var request: HTTPRequest
    /// `nil` for a plain transfer.
    var resuming: FormSender.Resuming?
    var sender: FormSender
    var progressInterval: Duration?
    /// The lock of the saved state.
    var lock: FileLock?
    /// The name of the file that is the whole body; `nil` for a form.
    var filename: String?
    /// Whether a tus server stores the body as a file at the upload's URL.
    var isStored = false

    /// Prints the first request, and the plan of the body.
    func show() throws {
        var (request, body) = (self.request, ExchangeBody?.some(ExchangeBody(self.plan)))
        request.headerFields[.contentType] = self.plan.contentType
        if let resuming = self.resuming {
            var machine = try ResumableSend(self.plan, request, resuming, self.sender.options)
            if case .exchange(let first, let content, _) = machine.next() { (request, body) = (first, content) }
            if resuming.usesTus, resuming.link == nil {
                // Which upload follows depends on the answer.
                request = self.request
                (request.method, request.headerFields[.reprDigest], body) = (.options, nil, nil)
            }
        }
        let ready = try self.sender.client.preview(request, body: body)
        let isHTTP2 = self.sender.client.options.version == .http2
        let head = MaskedHead(ready, isHTTP2: isHTTP2).lines.map { $0.withControlCharactersEscaped + "\n" }.joined()
        let tus = "Asks the tus server first. If it reads no forms, each file is an upload of its own.\n"
        let note = self.resuming?.usesTus == true && self.resuming?.link == nil ? "\n" + tus : ""
        let table = PlanTable(self.plan).text(width: Terminal.columns(of: .standardOutput))
        try StandardOutput.write(head + "\n" + table + note)
    }
}
#endif
