/// Reads a multipart body (RFC 2046 §5.1) that arrives in chunks of any size, without IO and without copying content.
///
/// The caller lends a chunk and asks for events until ``Event/needsInput``, then lends the next one, and says
/// ``finish()`` at the end. Content comes as ranges of the chunk. Events don't depend on how the body is cut, except
/// that content may come in more pieces; time is linear in the body's length, and ``retainedBytes`` stays below a
/// header section and a delimiter. After an error every call throws it again.
///
/// ```
/// var parser = try MultipartParser(contentType: contentType)
/// for chunk in chunks {
///     var position = chunk.startIndex
///     reading: while true {
///         switch try parser.next(in: chunk, from: &position) {
///         case .partBegan(let header): …
///         case .content(let range): sink.append(chunk[range])
///         case .heldContent(let bytes): sink.append(bytes)
///         case .partEnded: …
///         case .finished: …
///         case .needsInput: break reading
///         }
///     }
/// }
/// try parser.finish()
/// ```
public struct MultipartParser: Sendable {
    /// What was found next. There will be no other cases: a `switch` needs no `default`.
    public enum Event: Hashable, Sendable {
        /// A part's header section is whole. ``MultipartParser/limitContent(to:)`` may now change its limit.
        case partBegan(ReceivedHeader)
        /// Content of the part: these places of the chunk that was lent. Never empty.
        case content(Range<Int>)
        /// Content of the part that an earlier chunk's end left undecided, because a delimiter could begin so.
        case heldContent([UInt8])
        /// The part's content is complete.
        case partEnded
        /// The close delimiter and its line are over. What follows is skipped and may as well not be lent.
        case finished
        /// The chunk is used up.
        case needsInput
    }

    enum State {
        /// Looking for a delimiter, before the first part or in one. → delimiterLine, partEnding, headers, closing
        case searching
        /// A delimiter stood at a chunk's end: the rest of its line decides. → searching, partEnding, headers, closing
        case delimiterLine(DelimiterLine)
        /// → headers, closing
        case partEnding(isLast: Bool)
        /// → searching
        case headers
        /// Behind the close delimiter, on its line. → epilogue
        case closing(afterCR: Bool)
        case epilogue
    }

    let profile: ParsingProfile
    let limits: ParsingLimits
    /// CRLF, `--`, boundary. Its first byte stands nowhere else in it, as a boundary can't hold CR.
    let delimiter: [UInt8]
    let search: DelimiterSearch

    var state = State.searching
    var failure: FormworkError? { didSet { self.hasFailed = true } }
    private var hasFailed = false
    /// How much of the delimiter stands before the next byte. The CRLF at the body's start, and the one that ends a
    /// header section, belong to a delimiter if one follows: both count as seen.
    var matched = 2
    /// Where in ``delimiter`` the bytes begin that are content if no delimiter follows.
    var heldFrom = 2
    /// What followed the delimiter at a chunk's end.
    var heldLine: [UInt8] = []
    /// Where offset 0 of the chunk is in the body.
    var base: Int64 = 0

    var isInPart = false
    var isFile = false
    var hasPreambleText = false
    var preambleBytes: Int64 = 0
    /// How much of ``delimiter`` the preamble's line so far is, the CRLF before it counted; 0 when it is something else.
    var preambleLine = 2
    /// Where a line of the preamble begins that begins with the delimiter and isn't one; `nil` for none.
    package var preambleDelimiterOffset: Int64?
    /// Content bytes of this part so far.
    var contentBytes: Int64 = 0
    var contentLimit: Int64 = 0
    var section: [UInt8] = []
    var lines = HeaderLines()
    var headerBytesLeft: Int
    /// Below 2^31, so that places in a section fit in 32 bits.
    let headerLimit: Int
    /// Whether no ruling and no limit could refuse a ``PlainField`` for what it is.
    let takesPlainFields: Bool
    var (parts, fields, files) = (0, 0, 0)

    /// Bytes of the body used so far.
    public private(set) var offset: Int64 = 0

    /// Reads bodies whose parts this boundary separates.
    public init(boundary: Boundary, profile: ParsingProfile = .default, limits: ParsingLimits = .default) {
        self.init(unchecked: Array(boundary.text.utf8), profile, limits)
    }

    init(unchecked boundary: [UInt8], _ profile: ParsingProfile, _ limits: ParsingLimits) {
        let limits = limits.withoutNegatives
        (self.profile, self.limits) = (profile, limits)
        self.delimiter = [0x0D, 0x0A, 0x2D, 0x2D] + boundary
        self.search = DelimiterSearch(profile.lineEnds == .crlf ? self.delimiter : Array(self.delimiter.dropFirst()))
        self.headerBytesLeft = limits.totalHeaderBytes
        self.headerLimit = min(limits.headerBytes, Int(Int32.max))
        self.takesPlainFields =
            profile.backslashes != .escape && profile.invalidText == .accepted && limits.headerCount > 0
    }

    /// Bytes that the parser holds back or has copied: a header section that isn't whole, a delimiter cut by a chunk's
    /// end. Never content that is known to be content.
    public var retainedBytes: Int { self.section.count + max(0, self.matched - self.heldFrom) + self.heldLine.count }

    /// The next event in `chunk` from `position` on, which moves behind what was used.
    /// - Throws: ``FormworkError/Code/malformedBody``, ``FormworkError/Code/truncatedBody`` or
    ///   ``FormworkError/Code/limitExceeded``, its class in ``FormworkError/parsingFailure``; then always the same error.
    public mutating func next(in chunk: RawSpan, from position: inout Int) throws(FormworkError) -> Event {
        // Not `if let`, which copies the error where there is none.
        if self.hasFailed, let failure = self.failure { throw failure }
        precondition((0...chunk.byteCount).contains(position), "position outside the chunk")
        self.base = self.offset - Int64(position)
        let isCut = Int64(chunk.byteCount - position) > self.limits.totalBytes - self.offset
        let end = isCut ? position + Int(self.limits.totalBytes - self.offset) : chunk.byteCount
        do throws(FormworkError) {
            while true {
                let event: Event? =
                    switch self.state {
                    case .searching: try self.readContent(chunk, &position, end)
                    case .headers: try self.readHeaders(chunk, &position, end)
                    case .partEnding(let isLast): self.endPart(isLast, at: position)
                    case .delimiterLine(let line): try self.readDelimiterLine(line, chunk, &position, end)
                    case .closing(let afterCR): try self.readClosing(afterCR, chunk, &position, end)
                    case .epilogue: self.skip(&position, to: end)
                    }
                guard let event else { continue }
                if isCut, case .needsInput = event {
                    throw self.limitCrossed(.totalBytesLimit, self.limits.totalBytes, "The body", at: end)
                }
                self.offset = self.base + Int64(position)
                return event
            }
        } catch {
            self.failure = error
            throw error
        }
    }

    /// Says that the body has ended.
    /// - Throws: ``FormworkError/Code/truncatedBody`` when its close delimiter wasn't seen, or an earlier error again.
    public mutating func finish() throws(FormworkError) {
        if let failure = self.failure { throw failure }
        let place: String
        switch self.state {
        case .closing, .epilogue: return
        case .partEnding(isLast: true): return
        case .headers, .partEnding:
            if self.profile.missingClose == .accepted, self.section.isEmpty { return }
            place = "in the header section of part \(self.parts)"
        case .searching, .delimiterLine:
            place =
                self.isInPart
                ? "in the content of part \(self.parts), before a close delimiter"
                : "without a line --\(String(decoding: self.delimiter.dropFirst(4), as: UTF8.self)): "
                    + "is this the body's boundary?"
        }
        let error = ParsingFailure(.unexpectedEnd)
            .error("The body ended after \(self.offset) bytes, \(place)", at: self.offset)
        self.failure = error
        throw error
    }

    /// Sets how many content bytes the current part may have, those already read counted.
    ///
    /// It holds for this part only; the next one begins with ``ParsingLimits``'s value again.
    public mutating func limitContent(to bytes: Int64) { self.contentLimit = max(0, bytes) }

    /// Where a place of the chunk is in the body.
    func bodyOffset(_ place: Int) -> Int64 { self.base + Int64(place) }

    func limitCrossed(
        _ kind: ParsingFailure.Kind, _ limit: Int64, _ what: String, at place: Int
    ) -> FormworkError {
        ParsingFailure(kind, limit: limit)
            .error("\(what) has more than \(limit) bytes.", at: self.bodyOffset(place))
    }

    private mutating func endPart(_ isLast: Bool, at place: Int) -> Event {
        self.isInPart = false
        self.state = .closing(afterCR: false)
        do throws(FormworkError) {
            if !isLast { try self.beginPart(at: place) }
        } catch {
            // This part has ended all the same: the next call fails.
            self.failure = error
        }
        return .partEnded
    }

    /// What follows the close delimiter's `--`: blanks and a line end, or the body's end.
    private mutating func readClosing(
        _ afterCR: Bool, _ chunk: RawSpan, _ position: inout Int, _ end: Int
    ) throws(FormworkError) -> Event? {
        guard position < end else { return .needsInput }
        let byte = chunk[position]
        position += 1
        switch byte {
        case 0x0A where afterCR || self.profile.lineEnds == .crlfOrLF:
            self.state = .epilogue
            return .finished
        case 0x0D where !afterCR: self.state = .closing(afterCR: true)
        case 0x20 where !afterCR && self.profile.padding == .accepted: break
        case 0x09 where !afterCR && self.profile.padding == .accepted: break
        default:
            throw ParsingFailure(.malformedBoundaryLine)
                .error("Text follows the close delimiter on its line.", at: self.bodyOffset(position - 1))
        }
        return nil
    }

    private func skip(_ position: inout Int, to end: Int) -> Event {
        position = end
        return .needsInput
    }
}
