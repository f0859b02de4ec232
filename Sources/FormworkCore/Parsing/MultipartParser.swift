/// Parses a multipart body (RFC 2046 §5.1) that arrives in chunks of any size, without IO and without copying content.
///
/// The caller passes a chunk and requests events until ``Event/needsInput``, then passes the next chunk, and calls
/// ``finish()`` at the end. Content is returned as ranges of the chunk. Events don't depend on how the body is cut,
/// except that content may be split into more pieces. The time is linear in the body's length, and ``retainedBytes`` is
/// at most a header section and a delimiter. After an error every call throws it again.
///
/// ```swift
/// var parser = try MultipartParser(contentType: contentType)
/// for chunk in chunks {
///     var position = chunk.startIndex
///     reading: while true {
///         switch try parser.next(in: chunk, from: &position) {
///         case .partBegan(let header): names.append(header.name ?? "")
///         case .content(let range): content += chunk[range]
///         case .heldContent(let bytes): content += bytes
///         case .partEnded, .finished: break
///         case .needsInput: break reading
///         }
///     }
/// }
/// try parser.finish()
/// ```
public struct MultipartParser: Sendable {
    /// The next event. No cases will be added, so a `switch` needs no `default`.
    public enum Event: Hashable, Sendable {
        /// A part's header section is complete. ``MultipartParser/limitContent(to:)`` may now change its limit.
        case partBegan(ReceivedHeader)
        /// Content of the part: a range of the chunk. Never empty.
        case content(Range<Int>)
        /// Content of the part from the end of an earlier chunk, which was held because it could have begun a
        /// delimiter.
        case heldContent([UInt8])
        /// The part's content is complete.
        case partEnded
        /// The line of the close delimiter has ended. The bytes after it are skipped and needn't be passed.
        case finished
        /// The chunk is used up.
        case needsInput
    }

    enum State {
        /// Looking for a delimiter, before the first part or in one. → delimiterLine, partEnding, headers, closing
        case searching
        /// A delimiter was at a chunk's end: the rest of its line decides. → searching, partEnding, headers, closing
        case delimiterLine(DelimiterLine)
        /// → headers, closing
        case partEnding(isLast: Bool)
        /// → searching
        case headers
        /// After the close delimiter, on its line. → epilogue
        case closing(afterCR: Bool)
        case epilogue
    }

    package let profile: ParsingProfile
    let limits: ParsingLimits
    /// CRLF, `--`, boundary. Its first byte occurs only once, because a boundary can't contain CR.
    package let delimiter: [UInt8]
    let search: DelimiterSearch

    var state = State.searching
    var failure: FormworkError? { didSet { self.hasFailed = true } }
    package private(set) var hasFailed = false
    /// The number of bytes of the delimiter that were matched before the next byte. The CRLF before the body's start,
    /// and the one that ends a header section, belong to a directly following delimiter, so both count as matched.
    var matched = 2
    /// The offset in ``delimiter`` of the bytes that are content if it isn't a delimiter.
    var heldFrom = 2
    /// Bytes of earlier chunks: those that followed the delimiter at a chunk's end, or an incomplete header section.
    var held: [UInt8] = []
    /// The offset of the chunk's start in the body.
    var base: Int64 = 0

    var isInPart = false
    var isFile = false
    package internal(set) var hasPreambleText = false
    package var preambleBytes: Int64 = 0
    /// The number of bytes of ``delimiter`` that the preamble's current line matches, including the CRLF before it; 0
    /// if it doesn't match.
    var preambleLine = 2
    /// The number of content bytes of this part so far.
    var contentBytes: Int64 = 0
    var contentLimit: Int64 = 0
    /// The `Content-Type` that gave the boundary; empty without one.
    let contentType: String
    /// What was noted of the framing, and what looks for it; most parsers have none. In an array, so that they stay small.
    var watch: [BodyWatch]
    /// What is odd as soon as the part has content.
    var contentOddity: Oddity?
    /// The offset of the part's header section.
    var headerOffset: Int64 = 0
    var lines = HeaderLines()
    var headerBytesLeft: Int
    /// Below 2^31, so that offsets in a section fit in 32 bits.
    let headerLimit: Int
    /// Whether no rule and no limit can refuse a ``PlainField``.
    let takesPlainFields: Bool
    package var parts = 0
    var (fields, files) = (0, 0)

    /// The number of bytes of the body used so far.
    public internal(set) var offset: Int64 = 0

    /// The boundary, as the body has it after `--`.
    package var boundary: ArraySlice<UInt8> { self.delimiter.dropFirst(4) }

    /// A parser for a body with this boundary.
    public init(boundary: Boundary, profile: ParsingProfile = .default, limits: ParsingLimits = .default) {
        self.init(unchecked: Array(boundary.text.utf8)[...], profile, limits)
    }

    init(
        unchecked boundary: ArraySlice<UInt8>, _ profile: ParsingProfile, _ limits: ParsingLimits,
        contentType: String = ""
    ) {
        let limits = limits.withoutNegatives
        (self.profile, self.limits, self.contentType) = (profile, limits, contentType)
        var delimiter: [UInt8] = []
        delimiter.reserveCapacity(4 + boundary.count)
        delimiter.append(contentsOf: "\r\n--".utf8)
        delimiter.append(contentsOf: boundary)
        self.delimiter = delimiter
        self.search = DelimiterSearch(profile.lineFeedsEndLines ? Array(delimiter.dropFirst()) : delimiter)
        self.headerBytesLeft = limits.totalHeaderBytes
        self.headerLimit = min(limits.headerBytes, Int(Int32.max))
        self.takesPlainFields =
            profile.backslashes != .escape && !profile.refusesAmbiguity && limits.headerCount > 0
            && !limits.dependsOnNames
        self.watch = Self.watch(boundary, profile, contentType)
    }

    /// The number of bytes that the parser stores: an incomplete header section, or a delimiter cut by a chunk's end.
    /// Never bytes that are known to be content.
    public var retainedBytes: Int { self.held.count + max(0, self.matched - self.heldFrom) }

    /// The next event in `chunk` from `position`, which moves after the used bytes.
    /// - Throws: ``FormworkError/Code/malformedBody``, ``FormworkError/Code/truncatedBody`` or
    ///   ``FormworkError/Code/limitExceeded``, with its kind in ``FormworkError/parsingFailure``. Later calls throw the
    ///   same error.
    public mutating func next(in chunk: RawSpan, from position: inout Int) throws(FormworkError) -> Event {
        // `if let` alone would copy the error even if there is none.
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
                    case .epilogue: try self.skip(chunk, &position, to: end)
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

    /// Ends the body.
    /// - Throws: ``FormworkError/Code/truncatedBody`` if there was no close delimiter, or an earlier error again.
    public mutating func finish() throws(FormworkError) {
        if let failure = self.failure { throw failure }
        let place: String
        switch self.state {
        case .closing, .epilogue, .partEnding(isLast: true):
            if self.parts == 0, self.isWatching { self.note(.noParts, at: 0) }
            return
        case .headers, .partEnding:
            if self.profile.acceptsMissingClose, self.held.isEmpty {
                return self.note(.missingClose, at: self.offset)
            }
            place = "in the header section of part \(self.parts)"
        case .searching, .delimiterLine:
            place =
                self.isInPart
                ? "in the content of part \(self.parts), before a close delimiter"
                : "without a line --\(String(decoding: self.delimiter.dropFirst(4), as: UTF8.self)): "
                    + "is this the body's boundary?"
        }
        let error = ParsingFailure(.unexpectedEnd)
            .error("The body ended after \(self.offset, "byte"), \(place)", at: self.offset)
        self.failure = error
        throw error
    }

    /// Whether the close delimiter was found, so that no part follows.
    package var isAfterClose: Bool {
        switch self.state {
        case .closing, .epilogue, .partEnding(isLast: true): true
        case .searching, .delimiterLine, .partEnding, .headers: false
        }
    }

    /// Sets the most content bytes of the current part, including those already read.
    ///
    /// It applies only to this part. The next one has the value of ``ParsingLimits`` again.
    public mutating func limitContent(to bytes: Int64) { self.contentLimit = max(0, bytes) }

    /// The offset in the body of a place in the chunk.
    func bodyOffset(_ place: Int) -> Int64 { self.base + Int64(place) }

    func limitCrossed(
        _ kind: ParsingFailure.Kind, _ limit: Int64, _ what: String, at place: Int
    ) -> FormworkError {
        ParsingFailure(kind, limit: limit)
            .error("\(what) has more than \(limit, "byte").", at: self.bodyOffset(place))
    }

    private mutating func endPart(_ isLast: Bool, at place: Int) -> Event {
        self.isInPart = false
        self.state = .closing(afterCR: false)
        do throws(FormworkError) {
            if !isLast { try self.beginPart(at: place) }
        } catch {
            // This part has ended anyway: the next call fails.
            self.failure = error
        }
        return .partEnded
    }

    /// Reads the bytes after the close delimiter's `--`: blanks and a line end, or the body's end.
    @inline(never)
    private mutating func readClosing(
        _ afterCR: Bool, _ chunk: RawSpan, _ position: inout Int, _ end: Int
    ) throws(FormworkError) -> Event? {
        guard position < end else { return .needsInput }
        let byte = chunk[position]
        position += 1
        switch byte {
        case 0x0A where afterCR || self.profile.lineFeedsEndLines:
            if !afterCR { self.note(.bareLineFeed, at: self.bodyOffset(position - 1)) }
            self.state = .epilogue
            return .finished
        case 0x0D where !afterCR: self.state = .closing(afterCR: true)
        case _ where byte.isBlank && !afterCR && !self.profile.refusesLooseFraming:
            self.note(.padding, at: self.bodyOffset(position - 1))
        default:
            throw ParsingFailure(.malformedBoundaryLine)
                .error("Text follows the close delimiter on its line.", at: self.bodyOffset(position - 1))
        }
        return nil
    }

    @inline(never)
    private mutating func skip(
        _ chunk: RawSpan, _ position: inout Int, to end: Int
    ) throws(FormworkError) -> Event {
        var text = position
        while text < end, chunk[text] == 0x0D || chunk[text] == 0x0A { text += 1 }
        if text < end { self.note(.epilogue, at: self.bodyOffset(text)) }
        if !self.watch.isEmpty { try self.watchEpilogue(chunk, position..<end, at: self.bodyOffset(position)) }
        position = end
        return .needsInput
    }
}
