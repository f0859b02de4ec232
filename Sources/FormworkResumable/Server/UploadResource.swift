#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// The server's side of one upload: what it has, what may be added, and what it answers.
///
/// It does no IO. A request's head goes in by ``init(_:limits:)`` or ``begin(_:)``, its content by ``take(_:)``, its end by
/// ``end(wasWhole:)``; the bytes themselves are kept by whoever calls.
public struct UploadResource: Sendable, Hashable {
    /// By which protocol it is made.
    public let uploadProtocol: ResumableProtocol
    /// What is taken.
    public let limits: UploadLimits
    /// Bytes that are kept for good. Never decreases.
    public private(set) var offset: Int64
    /// Bytes of the whole; `nil` when not known yet.
    public private(set) var length: Int64?
    /// Whether every byte is there and the client said so.
    public private(set) var isWhole = false
    /// Whether the target has processed it.
    public private(set) var isProcessed = false
    /// Whether the request on its way ends the body.
    private var completes = false
    /// Bytes of content of the request on its way.
    private var received: Int64 = 0

    /// How a request ended.
    public enum Ending: Sendable, Hashable {
        /// The upload waits for more, see ``appended(isCreation:location:)``.
        case more
        /// The request can't be; the answer to give.
        case refused(UploadAnswer)
        /// Every byte is there: have it processed.
        case whole
    }

    /// An upload as it was kept.
    public init(
        _ uploadProtocol: ResumableProtocol, offset: Int64, length: Int64?, isWhole: Bool, isProcessed: Bool,
        limits: UploadLimits
    ) {
        self.uploadProtocol = uploadProtocol
        self.offset = offset
        self.length = length
        self.isWhole = isWhole
        self.isProcessed = isProcessed
        self.limits = limits
    }

    /// A new upload.
    public init(_ creation: UploadCreation, limits: UploadLimits) {
        self.uploadProtocol = creation.uploadProtocol
        self.limits = limits
        self.offset = 0
        self.length = creation.length
        self.completes = creation.completes
    }

    /// Why a creation can't be; `nil` when it can.
    public static func refusal(of creation: UploadCreation, limits: UploadLimits) -> UploadAnswer? {
        let resource = UploadResource(creation, limits: limits)
        if let size = limits.maxSize, (creation.length ?? creation.contentLength ?? 0) > size {
            return resource.tooLarge
        }
        if let length = creation.length, let count = creation.contentLength, count > length {
            return resource.inconsistent
        }
        return resource.refusal(of: creation.contentLength, completes: creation.completes, isCreation: true)
    }

    /// Begins to add to it.
    /// - Returns: Why that can't be; `nil` when it can.
    public mutating func begin(_ append: UploadAppend) -> UploadAnswer? {
        guard append.offset == self.offset else {
            return self.answer(.conflict, .mismatchingOffset(expected: self.offset, provided: append.offset))
        }
        if self.isWhole {
            // Nothing is added; the answer is wanted, which may have been lost.
            let mayRepeat = !self.isProcessed || self.uploadProtocol.draft?.replaysAnswer ?? true
            return mayRepeat && append.contentLength ?? 0 == 0 ? nil : self.completed
        }
        if let length = append.length {
            guard self.length ?? length == length, length >= self.offset else { return self.inconsistent }
            if let size = self.limits.maxSize, length > size { return self.tooLarge }
            self.length = length
        }
        if let refusal = self.refusal(of: append.contentLength, completes: append.completes, isCreation: false) {
            return refusal
        }
        if let count = append.contentLength {
            // A Content-Length is the peer's, and any number.
            let (end, isTooLarge) = self.offset.addingReportingOverflow(count)
            guard !isTooLarge, end <= self.length ?? .max else { return self.inconsistent }
            guard end <= self.limits.maxSize ?? .max else { return self.tooLarge }
        }
        (self.completes, self.received) = (append.completes, 0)
        return nil
    }

    private func refusal(of count: Int64?, completes: Bool, isCreation: Bool) -> UploadAnswer? {
        guard let count else { return nil }
        if count > self.limits.maxAppendSize ?? .max { return self.tooLarge }
        let mayBeSmall = completes || isCreation && count == 0 || self.uploadProtocol == .tus
        if !mayBeSmall, count < self.limits.minAppendSize ?? 0 {
            return self.answer(.badRequest, .other(title: "less content than min-append-size"))
        }
        return nil
    }

    /// Takes the next bytes of content.
    /// - Returns: Why they can't be kept; `nil` when they are. After a refusal none of the request's later bytes are.
    public mutating func take(_ count: Int) -> UploadAnswer? {
        // Where it goes on is a file's size, and any number.
        let (end, isTooLarge) = self.offset.addingReportingOverflow(Int64(count))
        guard !isTooLarge else { return self.tooLarge }
        guard end <= self.length ?? .max else { return self.inconsistent }
        guard end <= self.limits.maxSize ?? .max, self.received + Int64(count) <= self.limits.maxAppendSize ?? .max
        else { return self.tooLarge }
        self.offset = end
        self.received += Int64(count)
        return nil
    }

    /// A request's content ended.
    /// - Parameter wasWhole: Whether it ended as it should, and wasn't cut.
    public mutating func end(wasWhole: Bool) -> Ending {
        if self.isWhole { return .whole }
        if self.uploadProtocol == .tus {
            self.isWhole = self.offset == self.length
        } else if wasWhole, self.completes {
            guard self.length ?? self.offset == self.offset else { return .refused(self.inconsistent) }
            self.length = self.offset
            self.isWhole = true
        }
        self.completes = false
        return self.isWhole ? .whole : .more
    }

    /// Goes on as the request that creates it, which brings its first content.
    public mutating func beginCreation(_ creation: UploadCreation) {
        (self.completes, self.received) = (creation.completes, 0)
    }

    /// The target has processed it.
    public mutating func processed() { self.isProcessed = true }

    /// Gives up bytes that were taken and turned out to be wrong, before anybody was told of them.
    public mutating func takeBack(to offset: Int64) {
        precondition(offset <= self.offset, "only what was taken can be taken back")
        self.offset = offset
    }
}
#endif
