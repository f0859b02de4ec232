#if Transfer
import Formwork
import FormworkCommand
@testable import FormworkTransfer
import FormworkNIO
import FormworkClient
import SystemPackage
import Testing

/// What a script decides on: curl's numbers, as the help lists them.
@Suite("Exit statuses of a transfer", .timeLimit(.minutes(10)))
struct TransferStatusTests {
    @Test(
        "Every failure has its own",
        arguments: [
            (.resolve, 6), (.connect, 7), (.timedOut, 28), (.tls, 35), (.redirects, 47), (.send, 55),
            (.receive, 56), (.proxy, 56), (.localCertificate, 58), (.certificate, 60), (.trustAnchors, 77),
        ] as [(TransferError.Code, Int32)])
    func transfer(code: TransferError.Code, status: Int32) {
        let exit = ExitStatus(transfer: TransferError(code, "it broke"))
        #expect(exit.code == status)
        #expect(exit.message?.hasPrefix("formwork: ") == true)
    }

    @Test("A certificate of another host isn't mended by one to trust")
    func certificates() {
        let other = TransferError(.certificate, "h: \(TransferError.otherHost)")
        #expect(
            ExitStatus(transfer: other).message
                == "formwork: h: the server's certificate is another host's (--insecure accepts it)")
        let untrusted = TransferError(.certificate, "h: the server's certificate is not trusted")
        #expect(
            ExitStatus(transfer: untrusted).message
                == "formwork: h: the server's certificate is not trusted (--cacert FILE gives certificates to trust, "
                + "--insecure trusts all)")
    }

    @Test("A server that had not all of the body is 55, a disk that is full 23, a file that changed 65")
    func others() {
        #expect(ExitStatus(transfer: FormworkError(.writeFailed, "early")).code == 55)
        #expect(ExitStatus(transfer: FormworkError(.writeFailed, "disk", cause: Errno.noSpace)).code == 23)
        #expect(ExitStatus(transfer: FormworkError(.sourceChanged, "changed")).code == 65)
        #expect(ExitStatus(transfer: FormworkError(.sourceUnavailable, "gone")).code == 26)
    }
}
#endif
