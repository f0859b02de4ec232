#if Transfer
import Formwork
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import HummingbirdCore
import NIOCore

// What is not an upload: pages, the login, and problems.
extension Exchange {
    func pageAnswer(_ head: HTTPRequest) -> Answer {
        let query = (head.path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let received = query.split(separator: "&").first { $0.hasPrefix("received=") }?.dropFirst(9) ?? ""
        let view = PageState.View.uploads(received: Set(received.split(separator: ",").compactMap { Int($0) }))
        return self.html(.ok, view, head, arrivals: self.arrivals.all)
    }

    func html(
        _ status: HTTPResponse.Status, _ view: PageState.View, _ head: HTTPRequest, arrivals: [Arrival] = []
    ) -> Answer {
        let state = PageState(
            view, limits: self.router.limits, arrivals: arrivals,
            origin: (self.router.isTLS ? "https://" : "http://") + (head.authority ?? ""),
            needsToken: self.router.token != nil)
        return Answer(status, "text/html; charset=utf-8", ByteBuffer(string: self.page.html(state)))
    }

    /// Takes the login form: small, and nothing else than `token`.
    func logIn(_ head: HTTPRequest, _ body: RequestBody) async -> Answer {
        guard let token = self.router.token else { return .seeOther("/") }
        var bytes: [UInt8] = []
        do {
            for try await buffer in body {
                bytes += buffer.readableBytesView
                guard bytes.count <= 4 << 10 else {
                    return self.refusal(.tooLarge("A login has 4 KiB at most."), head)
                }
            }
        } catch {
            return self.refusal(UploadFailure(error).problem, head)
        }
        let pairs = String(decoding: bytes, as: UTF8.self).split(separator: "&")
        let given = pairs.first { $0.hasPrefix("token=") }?.dropFirst(6) ?? ""
        let text = String(given).replacing("+", with: " ").percentDecoded ?? ""
        guard token.isToken(text) else {
            return self.html(.unauthorized, .login(isWrong: true), head).challenging()
        }
        var answer = Answer.seeOther("/")
        answer.fields[.setCookie] = token.cookie(isSecure: self.router.isTLS)
        return answer
    }

    /// A problem as a browser's page, or for programs.
    func refusal(_ problem: ProblemDetails, _ head: HTTPRequest) -> Answer {
        var answer: Answer
        if head.wantsHTML {
            let view: PageState.View = problem.status == 401 ? .login(isWrong: false) : .problem(problem)
            answer = self.html(HTTPResponse.Status(code: problem.status), view, head)
        } else {
            answer = Answer(problem)
        }
        switch problem.status {
        // Browsers would ask for a name and a password themselves if they were offered Basic.
        case 401: answer = answer.challenging(withBasic: !head.wantsHTML)
        case 405: answer.fields[.allow] = Self.methods
        case 503: answer.fields[.retryAfter] = "5"
        default: break
        }
        // Of a body that is refused not all is read.
        answer.closes = head.mayBringBody
        return answer
    }
}

extension Answer {
    fileprivate func challenging(withBasic: Bool = false) -> Self {
        var answer = self
        answer.fields[.wwwAuthenticate] = "Bearer realm=\"formwork\""
        if withBasic { answer.fields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"formwork\"")) }
        return answer
    }
}

extension HTTPRequest {
    /// Whether a person's browser asks, and not a program.
    var wantsHTML: Bool {
        self.headerFields[values: .accept].contains { value in
            value.split(separator: ",").contains { $0.drop { $0 == " " }.hasPrefix("text/html") }
        }
    }
}
#endif
