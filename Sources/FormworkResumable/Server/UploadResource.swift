import HTTPTypes

/// The server's side of one upload: what it has, what may be added, and how it answers.
///
/// It does no IO. Pass it a request's head with ``init(_:limits:)`` or ``begin(_:)``, its content with ``take(_:)``,
/// and its end with ``end(wasWhole:)``. The caller stores the bytes themselves.
struct UploadResource: Sendable, Hashable {
    /// The upload's protocol.
    let uploadProtocol: ResumableProtocol
    /// The limits.
    let limits: UploadLimits
    /// Bytes that are stored for good. Never decreases.
    private(set) var offset: Int64
    /// Bytes of the whole upload; `nil` if not known yet.
    private(set) var length: Int64?
    /// Whether every byte has arrived and the client has confirmed that.
    private(set) var isWhole = false
    /// Whether the target has processed it.
    private(set) var isProcessed = false
    /// Whether it is a part of another upload, and so never whole.
    var isPart = false
    /// Whether the current request ends the body.
    private var completes = false
    /// Bytes of content received in the current request.
    private var received: Int64 = 0

    /// The result of a request.
    enum Ending: Sendable, Hashable {
        /// The upload waits for more, see ``appended(isCreation:location:)``.
        case more
        /// The request was refused, with this answer.
        case refused(ResumableResponse)
        /// The upload is complete, and must be processed.
        case whole
    }

    /// Restores a stored upload.
    init(
        _ uploadProtocol: ResumableProtocol, offset: Int64, length: Int64?, isWhole: Bool, isProcessed: Bool,
        limits: UploadLimits
    ) {
        (self.uploadProtocol, self.limits) = (uploadProtocol, limits)
        (self.offset, self.length) = (offset, length)
        (self.isWhole, self.isProcessed) = (isWhole, isProcessed)
    }

    /// Creates a new upload.
    init(_ creation: UploadCreation, limits: UploadLimits) {
        self.init(
            creation.uploadProtocol, offset: 0, length: creation.length, isWhole: false, isProcessed: false,
            limits: limits)
        self.completes = creation.completes
    }

    /// The refusal of a creation; `nil` if it is accepted.
    static func refusal(of creation: UploadCreation, limits: UploadLimits) -> ResumableResponse? {
        let resource = UploadResource(creation, limits: limits)
        if let size = limits.maxSize, (creation.length ?? creation.contentLength ?? 0) > size {
            return resource.tooLarge
        }
        if let length = creation.length, let count = creation.contentLength, count > length {
            return resource.inconsistent
        }
        return resource.refusal(of: creation.contentLength, completes: creation.completes, isCreation: true)
    }

    /// Begins an addition.
    /// - Returns: The refusal; `nil` if the addition is accepted.
    mutating func begin(_ append: UploadAppend) -> ResumableResponse? {
        guard append.offset == self.offset else {
            return self.answer(.conflict, .mismatchingOffset(expected: self.offset, provided: append.offset))
        }
        if self.isWhole {
            // Nothing is added; the client asks for an answer that may have been lost.
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
            // A Content-Length comes from the client, and can be any number.
            let (end, isTooLarge) = self.offset.addingReportingOverflow(count)
            guard !isTooLarge, end <= self.length ?? .max else { return self.inconsistent }
            guard !self.isTooLarge(with: count) else { return self.tooLarge }
        }
        (self.completes, self.received) = (append.completes, 0)
        return nil
    }

    private func refusal(of count: Int64?, completes: Bool, isCreation: Bool) -> ResumableResponse? {
        guard let count else { return nil }
        if count > self.limits.maxAppendSize ?? .max { return self.tooLarge }
        let mayBeSmall = completes || isCreation && count == 0 || self.uploadProtocol == .tus
        if !mayBeSmall, count < self.limits.minAppendSize ?? 0 {
            return self.answer(.badRequest, .other("Less content than min-append-size."))
        }
        return nil
    }

    /// Whether the upload would have more bytes than `maxSize` with these, so that it can never be complete.
    func isTooLarge(with count: Int64) -> Bool {
        let (end, isTooLarge) = self.offset.addingReportingOverflow(count)
        return isTooLarge || end > self.limits.maxSize ?? .max
    }

    /// Counts the next bytes of content.
    /// - Returns: The refusal; `nil` if the bytes are accepted. After a refusal, none of the request's later bytes are.
    mutating func take(_ count: Int) -> ResumableResponse? {
        // The offset comes from a file's size, and can be any number.
        let (end, isTooLarge) = self.offset.addingReportingOverflow(Int64(count))
        guard !isTooLarge else { return self.tooLarge }
        guard end <= self.length ?? .max else { return self.inconsistent }
        guard !self.isTooLarge(with: Int64(count)), self.received + Int64(count) <= self.limits.maxAppendSize ?? .max
        else { return self.tooLarge }
        self.offset = end
        self.received += Int64(count)
        return nil
    }

    /// A request's content ended.
    /// - Parameter wasWhole: Whether it ended properly, rather than being cut.
    mutating func end(wasWhole: Bool) -> Ending {
        if self.isWhole { return .whole }
        if self.uploadProtocol == .tus {
            self.isWhole = self.hasAll
        } else if wasWhole, self.completes {
            guard self.length ?? self.offset == self.offset else { return .refused(self.inconsistent) }
            self.length = self.offset
            self.isWhole = true
        }
        self.completes = false
        return self.isWhole ? .whole : .more
    }

    /// Whether every byte of a tus upload is there, so that it can be processed.
    var hasAll: Bool { self.uploadProtocol == .tus && !self.isPart && self.offset == self.length }

    /// Continues as the request that creates it, with its first content.
    mutating func beginCreation(_ creation: UploadCreation) {
        (self.completes, self.received) = (creation.completes, 0)
    }

    /// Marks the upload as processed by the target.
    mutating func processed() { self.isProcessed = true }

    /// Discards bytes that were accepted and turned out to be wrong, before they were reported to a client.
    mutating func takeBack(to offset: Int64) {
        precondition(offset <= self.offset, "only bytes that were accepted can be discarded")
        self.offset = offset
    }
}
