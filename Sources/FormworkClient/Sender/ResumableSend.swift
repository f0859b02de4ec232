#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import FormworkValues
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends a body and resumes it where it was cut: an `UploadClient` decides, and gets all events.
///
/// A redirect to a page at the end is followed as in a plain transfer.
package struct ResumableSend: SendMachine {
    private let plan: BodyPlan
    private let retriesAllErrors: Bool
    private let tusChecksum: String?
    let maximumRedirects: Int
    /// Called with the upload whenever it changes, and with `nil` when nothing is left to resume.
    let save: @Sendable (UploadLink?) throws -> Void
    var client: UploadClient
    var saved: UploadLink?
    /// Whether the caller has it saved.
    var isKept: Bool
    private var step: UploadStep?
    /// The failure to report before an immediate new try.
    private var announced: String?
    var failure: (any Error)?
    private var asks: Bool?
    var page: HTTPRequest?
    var redirects = 0
    var request: HTTPRequest
    let method: HTTPRequest.Method
    private var offset: Int64 = 0
    /// Whether the body ends with the last request.
    private var reachesEnd = false
    private var wasCut: Bool
    private var resumedFrom: Int64?
    private var resumptions = 0
    private var isAnswerLost = false

    /// - Throws: `invalidArgument` for a request without a scheme or an authority.
    package init(
        _ plan: BodyPlan, _ request: HTTPRequest, _ resuming: FormSender.Resuming, maximumRedirects: Int
    ) throws(FormworkError) {
        (self.plan, self.maximumRedirects, self.save) = (plan, maximumRedirects, resuming.save)
        var request = request
        request.headerFields[.contentType] = plan.contentType
        var options = resuming.options
        options.isReplayable = plan.isReplayable
        options.maximumRedirects = maximumRedirects
        self.retriesAllErrors = options.retriesAllErrors
        self.tusChecksum = options.checksum
        (self.request, self.method) = (request, request.method)
        self.client = try UploadClient(
            request, length: plan.contentLength, options: options, continuing: resuming.link)
        self.saved = resuming.link
        (self.isKept, self.wasCut) = (resuming.link != nil, resuming.link != nil)
    }

    package var takesEarlySuccess: Bool { true }

    package var checksum: String? {
        self.client.uploadProtocol == .tus && self.page == nil ? self.tusChecksum : nil
    }

    package private(set) var isBodyComplete: Bool?

    package var upload: ResumableUpload? {
        guard let link = self.saved else { return nil }
        return ResumableUpload(
            url: link.target.url, protocolName: link.uploadProtocol.description,
            acknowledged: self.client.acknowledged, offset: self.offset, resumedFrom: self.resumedFrom,
            resumptions: self.resumptions, isAnswerLost: self.isAnswerLost)
    }

    package mutating func next() -> SendStep {
        if let failure { return .failed(failure) }
        if let page { return .exchange(page, nil, expectsContinue: false) }
        if let reason = self.announced {
            self.announced = nil
            return .pause(.zero, reason: reason)
        }
        let step = self.step ?? self.client.next()
        self.step = nil
        switch step {
        case .send(let request, let range): return self.exchange(request, range)
        case .wait(let duration):
            return .pause(duration, reason: self.lastReason ?? "the server asked to wait")
        case .done(let outcome):
            self.finish(outcome)
            return .answered(outcome.response)
        case .fail(let failure):
            // After other failures the upload may still exist.
            if [.gone, .tooLarge, .protocolBroken].contains(failure.code) { self.forget() }
            return .failed(failure)
        }
    }

    private mutating func exchange(_ request: HTTPRequest, _ range: UploadRange?) -> SendStep {
        self.request = request
        if let range {
            self.reachesEnd = range.count.map { range.offset + $0 == self.client.length } ?? true
        } else {
            self.reachesEnd = false
        }
        guard let range, range.count != 0 else { return .exchange(request, nil, expectsContinue: false) }
        self.offset = range.offset
        if self.wasCut, self.client.link != nil {
            self.resumedFrom = range.offset
            self.resumptions += 1
        }
        self.wasCut = false
        return .exchange(
            request, ExchangeBody(self.plan, from: range.offset, count: range.count), expectsContinue: self.asks)
    }

    package mutating func sending(upTo offset: Int64) { self.client.sending(upTo: offset) }

    package mutating func bodyEnded(at length: Int64) {
        // With a known length the end is known.
        if self.plan.contentLength == nil { self.client.bodyEnded(at: length) }
    }

    package mutating func informed(by response: HTTPResponse) -> Bool {
        guard self.page == nil else { return true }
        let advice = self.client.informed(response)
        self.keep()
        if advice == .stop { self.step = self.client.next() }
        return advice == .goOn && self.failure == nil
    }

    package mutating func answered(_ answer: SendAnswer, remaining: Duration?) -> Bool {
        let (status, fields) = (answer.head.status, answer.head.headerFields)
        if self.page != nil {
            guard !self.follow(answer.head) else { return false }
            if status.code < 400 { self.remember(nil) }
            return true
        }
        if status == .expectationFailed, self.asks != false, self.plan.isReplayable || answer.bytesSent == 0 {
            self.asks = false
            self.client.refused()
            return false
        }
        // The client handles redirects of an upload that has its own URL.
        if self.maximumRedirects > 0, self.client.link == nil,
            let failure = self.whole.unfollowable(answer.head, hasBody: true)
        {
            self.failure = failure
            return false
        }
        if status.kind == .successful, !answer.isBodyComplete, !self.client.isPart(answer.head) {
            self.failed(
                FormworkError(
                    .writeFailed, "the server answered \(status.code) before it had all of the body",
                    offset: answer.bytesSent), remaining: remaining)
            return false
        }
        self.isBodyComplete = self.reachesEnd && answer.isBodyComplete
        let before = self.client.failedAttempts
        self.client.answered(answer.head, retryAfter: RetryAfter.delay(fields[.retryAfter]))
        self.advance(before)
        if self.pausesTooLong(remaining), status.code >= 400 { return true }
        guard case .done(let outcome)? = self.step, outcome.response == answer.head else { return false }
        self.step = nil
        self.failure = answer.redirectBeforeBody(of: self.whole)
        guard self.failure == nil else { return false }
        self.finish(outcome)
        return !self.follow(answer.head) && self.failure == nil
    }

    package mutating func failed(_ error: any Error, remaining: Duration?) {
        guard self.page == nil, self.mayPass(error) else { return self.failure = error }
        let before = self.client.failedAttempts
        self.wasCut = true
        let isEarlySuccess = error is FormworkError
        self.client.lost(
            error, wasReached: isEarlySuccess || (error as? TransferError)?.bytesSent ?? 0 > 0)
        self.advance(before)
        if self.pausesTooLong(remaining) { self.failure = error }
    }

    /// Whether no time is left after the next pause.
    private func pausesTooLong(_ remaining: Duration?) -> Bool {
        guard case .wait(let pause)? = self.step, let remaining else { return false }
        return pause >= remaining
    }

    /// Whether another try may succeed.
    private func mayPass(_ error: any Error) -> Bool {
        switch error {
        case is TransferError where self.retriesAllErrors: return true
        case let error as TransferError:
            let passing: [TransferError.Code] = [.resolve, .connect, .timedOut, .send, .receive]
            // A connection that breaks early breaks before HTTP.
            let early: [TransferError.Code] = [.tls, .proxy]
            return passing.contains(error.code) || self.client.link != nil && early.contains(error.code)
        case let error as FormworkError: return error.code == .writeFailed && error.cause == nil
        default: return false
        }
    }

    /// Asks for the next step.
    /// - Parameter before: The number of consecutive failures so far.
    private mutating func advance(_ before: Int) {
        self.keep()
        let step = self.client.next()
        self.step = step
        if self.client.failedAttempts > before {
            self.wasCut = true
            if case .send = step { self.announced = self.lastReason }
        }
    }

    /// The message of the underlying failure, which says more than the client's own.
    private var lastReason: String? {
        let failure = self.client.lastFailure
        return (failure?.cause as? TransferError)?.message ?? failure?.description
    }

    private mutating func finish(_ outcome: UploadOutcome) {
        self.isAnswerLost = outcome.isAnswerLost
        if outcome.isOver, outcome.response.status.code < 400 { self.isBodyComplete = true }
        if outcome.isOver { self.remember(nil) }
    }
}
#endif
