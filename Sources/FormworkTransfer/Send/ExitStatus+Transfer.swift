import FormworkClient
import FormworkCommand

extension ExitStatus {
    /// A failed transfer, with curl's numbers.
    init(transfer error: any Error) {
        switch error {
        case let error as ExitStatus: self = error
        case let error as TransferError where error.code == .certificate:
            // Another certificate to trust has no other name, nor other dates.
            let advice =
                error.message.hasSuffix(" is not trusted")
                ? "--cacert FILE gives certificates to trust, --insecure trusts all" : "--insecure accepts it"
            self.init(60, "\(error) (\(advice))")
        case let error as TransferError where error.code == .localCertificate:
            // The files were checked before, so the only causes left are these.
            self.init(
                58,
                "--cert, --key: \(error.message): the key belongs to another certificate, or one of the two is damaged")
        case let error as TransferError where error.code == .unsupported:
            self.init(2, "\(error): --resume auto, without --piece-size, sends to any server")
        case let error as TransferError:
            // curl's numbers when it follows redirects.
            let fault = (error.cause as? LocationFault).map { $0.isOtherScheme ? 1 : 3 } as Int32?
            self.init(fault ?? Self.code(for: error), "\(error)")
            if error.message.contains("as standard input can") { self.message? += "; --spool stores it first" }
        case let error as FormworkError where error.code == .writeFailed && error.cause == nil:
            // Caused by the server, not by a local disk. The offset is how much was sent, not a place of a fault in the body.
            var shown = error
            shown.offset = nil
            let sent = error.offset.map { " [\($0, "byte") sent]" } ?? ""
            self.init(55, "\(shown)\(sent)")
        case let error as FormworkError:
            self.init(error)
            if error.code == .notReplayable, error.message.contains("standard input") {
                self.message? += "; --spool stores it first"
            }
        default: self.init(2, "\(error)")
        }
    }

    /// Adds that a server may expect TLS: one that does often closes the connection without a word.
    /// - Parameter url: That of the only request, without TLS.
    mutating func hintAtTLS(after error: TransferError, _ url: String) {
        let authority = Substring(url.utf8.authority)
        let hasPort = authority.last?.isNumber == true && authority.contains(":") && !authority.hasSuffix(":80")
        guard hasPort, error.mayExpectTLS else { return }
        self.message? += ": if the server expects TLS, write https://"
    }

    private static func code(for error: TransferError) -> Int32 {
        switch error.code {
        case .interrupted: (error.cause as? TransferError).map(self.code) ?? 56
        case .resolve: 6
        case .connect: 7
        case .timedOut: 28
        case .tls: 35
        case .redirects: 47
        case .receive, .proxy, .protocolBroken: 56
        case .localCertificate: 58
        case .tooLarge: 63
        case .gone, .notReplayable: 65
        case .trustAnchors: 77
        default: 2
        }
    }
}
