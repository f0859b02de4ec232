import Formwork
import FormworkCommand
@testable import FormworkTransfer
import FormworkNIO
import FormworkClient
import TestSupport
import Testing

/// What a script decides on: curl's numbers, as the help lists them.
@Suite("Exit statuses of a transfer", .timeLimit(.minutes(10)))
struct TransferStatusTests {
    @Test(
        "Every failure has its own",
        arguments: [
            (.resolve, 6), (.connect, 7), (.timedOut, 28), (.tls, 35), (.redirects, 47),
            (.receive, 56), (.proxy, 56), (.localCertificate, 58), (.certificate, 60), (.trustAnchors, 77),
        ] as [(TransferError.Code, Int32)])
    func transfer(code: TransferError.Code, status: Int32) {
        let exit = ExitStatus(transfer: TransferError(code, "it broke"))
        #expect(exit.code == status)
        #expect(exit.message?.contains("it broke") == true)
    }

    @Test(
        "A connection that is reset at once is one status, however far the body was",
        arguments: [9, 5_000_000, 20 << 20])
    func reset(size: UInt64) throws {
        let folder = Folder()
        try folder.sparse("file", size)
        let listener = try LoopbackListener()
        defer { listener.stop() }
        listener.acceptAll { $0.resetOnClose() }
        let send = "\"$F\" send http://127.0.0.1:\(listener.port) -F f=@file 2>> errors"
        let result = try Command.shell("for i in {1..30}; do \(send); echo $?; done | sort | uniq -c", in: folder.path)
        #expect(result.text.split(separator: " ") == ["30", "56\n"], "\(result.text)")
    }

    @Test("A certificate of another host isn't mended by one to trust")
    func certificates() {
        let other = TransferError(.certificate, "h: the server's \(TransferError.otherHost)")
        #expect(
            ExitStatus(transfer: other).message
                == "h: the server's certificate is another host's (--insecure accepts it)")
        let untrusted = TransferError(.certificate, "h: the server's certificate is not trusted")
        #expect(
            ExitStatus(transfer: untrusted).message
                == "h: the server's certificate is not trusted (--cacert FILE gives certificates to trust, "
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
