@testable import FormworkResumable
@testable import FormworkClient
@testable import FormworkNIO
import Synchronization
import Testing

extension NIOTests {
    /// Both machines, without a socket: what comes next after each event.
    @Suite("What to send next", .timeLimit(.minutes(10)))
    struct SendMachineTests {
        /// The uploads that a machine had saved; `nil` where it had the last one discarded.
        private final class Saved: Sendable {
            private let links = Mutex<[String?]>([])
            var urls: [String?] { self.links.withLock { $0 } }
            func save(_ link: SavedUpload?) { self.links.withLock { $0.append(link?.url) } }
        }

        private struct Full: Error {}

        private func request() throws -> HTTPRequest { try HTTPRequest(to: "https://example.com/up") }

        private func resumable(
            _ change: (inout ResumingOptions) -> Void = { _ in },
            save: @escaping @Sendable (SavedUpload?) throws -> Void = { _ in }
        ) throws -> ResumableSend {
            var options = ResumingOptions(.auto)
            options.delays = []
            options.save = save
            change(&options)
            return try ResumableSend(
                try form(.text("x")).plan(), try self.request(), options,
                UploadOptions(maximumRedirects: 1))
        }

        private func head(_ status: Int, _ fields: HTTPFields = [:]) -> HTTPResponse {
            HTTPResponse(status: .init(code: status), headerFields: fields)
        }

        /// Gives an answer after the whole request was sent.
        private func answer(
            _ machine: inout some SendMachine, _ status: Int, _ fields: HTTPFields = [:], remaining: Duration? = nil
        ) -> Bool {
            let verdict = machine.answered(
                SendResponse(head: self.head(status, fields), bytesSent: 100, isBodyComplete: true),
                remaining: remaining)
            if case .isResult = verdict { return true } else { return false }
        }

        private func next(_ machine: inout some SendMachine) -> String {
            switch machine.next() {
            case .exchange(let request, let body, let expectsContinue):
                let asks = expectsContinue.map { $0 ? " asks" : " asks not" } ?? ""
                return "\(request.method) \(request.path ?? "") \(body.map { "from \($0.offset)" } ?? "empty")\(asks)"
            case .pause(let duration, let reason): return "pause \(duration.components.seconds): \(reason)"
            case .answered(let head): return "answered \(head.status.code)"
            case .failed(let error as TransferError): return "failed: \(error.message)"
            case .failed(let error): return "failed: \(type(of: error))"
            }
        }

        private static let notOffered =
            "failed: the connection broke after 0 bytes, and the server had not offered to resume"

        @Test(
            "An empty body has arrived with the head: it isn't sent again unless no connection was made",
            arguments: [
                (TransferError(.receive, "cut", bytesSent: 0), Self.notOffered),
                (TransferError(.receive, "cut"), Self.notOffered),
                (TransferError(.timedOut, "stalled", bytesSent: 0), Self.notOffered),
                (TransferError(.timedOut, "no connection"), "pause 0: no connection"),
                (TransferError(.connect, "refused"), "pause 0: refused"),
            ])
        func emptyBody(error: TransferError, step: String) throws {
            var options = ResumingOptions(.auto)
            options.delays = []
            var machine = try ResumableSend(
                try BodyPlan(copying: .bytes([])), try self.request(), options,
                UploadOptions(maximumRedirects: 1))
            #expect(self.next(&machine) == "POST /up empty asks not")
            machine.failed(error, remaining: nil)
            #expect(self.next(&machine) == step)
        }

        // MARK: PlainSend

        @Test(
            "Plain: the place is known to which a server has moved, if the form isn't sent there",
            arguments: [
                (301, "http://h/b", "http://h/b (301)"), (301, "/b", "http://h/b (301)"),
                (302, "https://h/up", "https://h/up (302)"), (303, "https://h:8443/up", "https://h:8443/up (303)"),
                // The page after a form.
                (302, "/done", nil), (303, "/done", nil), (302, "https://h/done", nil),
                // The form is sent again.
                (307, "https://h/up", nil), (308, "/b", nil),
            ])
        func plainMove(status: Int, location: String, place: String?) throws {
            var machine = PlainSend(
                try form(.text("x")).plan(), try HTTPRequest(to: "http://h/up"), UploadOptions(maximumRedirects: 1))
            _ = machine.next()
            #expect(!self.answer(&machine, status, [.location: location]))
            #expect(machine.movedTo == place)
        }

        // MARK: ResumableSend

        private let offer: HTTPFields = [.uploadDraftInteropVersion: "9", .location: "/u/1"]

        /// - Returns: Whether the exchange continues after the server's offer to resume.
        private func offers(_ machine: inout ResumableSend) -> Bool {
            machine.informed(by: self.head(104, self.offer))
        }

        @Test("Resumable: cut, asked for the offset, and continued from there")
        func cut() throws {
            let saved = Saved()
            var machine = try self.resumable(save: { saved.save($0) })
            #expect(self.next(&machine) == "POST /up from 0")
            machine.sending(upTo: 50)
            #expect(self.offers(&machine))
            #expect(saved.urls == ["https://example.com/u/1"])
            machine.failed(TransferError(.receive, "cut off", bytesSent: 50), remaining: nil)
            #expect(self.next(&machine) == "pause 0: cut off")
            #expect(self.next(&machine) == "HEAD /u/1 empty asks not")
            #expect(!self.answer(&machine, 204, [.uploadOffset: "40", .uploadComplete: "?0"]))
            #expect(self.next(&machine) == "PATCH /u/1 from 40")
            #expect(machine.upload?.resumedFrom == 40 && machine.upload?.resumptions == 1)
            #expect(self.answer(&machine, 201, [.uploadComplete: "?1"]))
            #expect(saved.urls == ["https://example.com/u/1"], "the answer may still be cut")
            machine.delivered()
            #expect(saved.urls == ["https://example.com/u/1", nil])
            #expect(machine.upload?.url == "https://example.com/u/1", "it is still reported")
        }

        @Test("Resumable: the first failure is the result, whatever comes later")
        func firstFailure() throws {
            var machine = try self.resumable(save: { _ in throw Full() })
            _ = machine.next()
            #expect(!self.offers(&machine))
            #expect(self.next(&machine) == "failed: Full")
            #expect(!self.answer(&machine, 303, [.location: "/page"]))
            #expect(self.next(&machine) == "failed: Full")
            machine.failed(TransferError(.certificate, "later"), remaining: nil)
            #expect(self.next(&machine) == "failed: Full")
        }

        @Test("Resumable: the answer's redirect leads to a page, which is fetched without the body")
        func page() throws {
            let saved = Saved()
            var machine = try self.resumable(save: { saved.save($0) })
            _ = machine.next()
            #expect(self.offers(&machine))
            #expect(!self.answer(&machine, 303, [.location: "/page", .uploadComplete: "?1"]))
            #expect(self.next(&machine) == "GET /page empty asks not")
            var other = machine
            #expect(self.answer(&machine, 200))
            #expect(saved.urls == ["https://example.com/u/1"])
            machine.delivered()
            #expect(saved.urls == ["https://example.com/u/1", nil])
            #expect(!self.answer(&other, 302, [.location: "/more"]))
            #expect(
                self.next(&other)
                    == "failed: more than 1 redirect: https://example.com/page redirects to https://example.com/more")
            #expect(saved.urls == ["https://example.com/u/1", nil])
        }

        @Test("Resumable: no pause that ends after the time-out")
        func timeLeft() throws {
            var machine = try self.resumable { ($0.repeatsUnanswered, $0.delays) = (true, [.seconds(5)]) }
            _ = machine.next()
            var late = machine
            machine.failed(TransferError(.receive, "cut off", bytesSent: 50), remaining: .seconds(6))
            #expect(self.next(&machine) == "pause 5: cut off")
            late.failed(TransferError(.receive, "cut off", bytesSent: 50), remaining: .seconds(5))
            #expect(self.next(&late) == "failed: cut off")
        }

        @Test("Resumable: an answer whose retry would come too late is the result")
        func answerInsteadOfRetry() throws {
            var machine = try self.resumable { ($0.repeatsUnanswered, $0.delays) = (true, [.seconds(5)]) }
            _ = machine.next()
            var late = machine
            #expect(!self.answer(&machine, 503, remaining: .seconds(6)))
            #expect(self.next(&machine) == "pause 5: the server answered 503")
            #expect(self.answer(&late, 503, remaining: .seconds(5)))
        }
    }
}
