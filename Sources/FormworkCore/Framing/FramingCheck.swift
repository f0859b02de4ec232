/// Reads a body back while it is sent, and compares what a receiver finds with what was meant.
///
/// The writer says beforehand where each part and its content begin, then lends the bytes; nothing is kept of them. A
/// content that holds the delimiter, a header field with an empty line in it, or a name that ends its quotes is an error
/// with the bytes that show it. After an error every call throws it again.
public struct FramingCheck: Sendable {
    private struct Expected {
        /// `nil` for what stands behind the last part.
        var part: PartReference?
        /// The name as written; `nil` for none.
        var name: [UInt8]?
        /// The filename as written; `nil` for none.
        var filename: [UInt8]?
        /// Whether the names are known: free fields may hold a `Content-Disposition` of their own.
        var isNamed = false
        var start: Int64
        var contentStart: Int64
    }

    private var parser: MultipartParser
    private let escaping: ParameterEscaping
    /// Bytes of CRLF, `--`, boundary, and CRLF or `--`.
    private let delimiterCount: Int64
    private var expected: [Expected] = []
    /// What is expected next, as an index of ``expected``: a batch of small parts is told of at once.
    private var next = 0
    /// The part whose content is read.
    private var current: Expected?
    private var isFinished = false
    private var failure: FormworkError?

    /// Checks bodies of this framing.
    public init(_ framing: MultipartFraming) {
        var profile = ParsingProfile.generic
        // What some receiver could take for a delimiter is an error, though others read on.
        (profile.preamble, profile.padding, profile.longerLines) = (.refused, .refused, .refused)
        profile.missingClose = framing.ending == .delimiter ? .accepted : .refused
        switch framing.escaping {
        case .backslash, .backslashUnchecked: profile.backslashes = .escape
        case .whatwg, .refuse, .raw: profile.backslashes = .literal
        }
        self.parser = MultipartParser(boundary: framing.boundary, profile: profile, limits: .none)
        self.escaping = framing.escaping
        self.delimiterCount = Int64(framing.boundary.text.utf8.count) + 6
    }

    /// Bytes of the body checked so far.
    public var offset: Int64 { self.parser.offset }

    /// Says which part comes next, before its bytes are taken.
    /// - Parameters:
    ///   - part: Names the part in errors.
    ///   - header: What its header section was written from.
    ///   - start: Where in the body its delimiter begins, the CRLF in front of it counted.
    ///   - contentStart: Where its content begins.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for names that the framing's escaping refuses.
    public mutating func expect(
        _ part: PartReference, _ header: PartHeader, from start: Int64, contentFrom contentStart: Int64
    ) throws(FormworkError) {
        let name = try self.written(header.name, as: "name")
        let filename = try self.written(header.filename, as: "filename")
        self.append(
            Expected(
                part: part, name: name, filename: filename, isNamed: header.disposition != nil, start: start,
                contentStart: contentStart))
    }

    /// Says that no part comes any more, before the last bytes are taken.
    /// - Parameter start: Where what stands behind the last part begins, its CRLF counted.
    public mutating func expectEnd(from start: Int64) {
        self.append(Expected(start: start, contentStart: start))
    }

    private mutating func append(_ expected: Expected) {
        if self.next == self.expected.count {
            self.expected.removeAll(keepingCapacity: true)
            self.next = 0
        }
        self.expected.append(expected)
    }

    private func written(_ text: String?, as role: String) throws(FormworkError) -> [UInt8]? {
        guard let text else { return nil }
        var bytes: [UInt8] = []
        try self.escaping.append(text, as: role, to: &bytes)
        return bytes
    }

    /// Takes the body's next bytes, as many as there are.
    /// - Throws: ``FormworkError/Code/framingBroken`` with the part.
    public mutating func take(_ bytes: RawSpan) throws(FormworkError) {
        if let failure = self.failure { throw failure }
        do throws(FormworkError) {
            var position = 0
            while try self.step(bytes, &position) {}
            guard !self.hasTrailer else {
                throw self.broken("bytes follow the end of the body", nil)
            }
        } catch {
            self.failure = error
            throw error
        }
    }

    /// Takes the body's next bytes.
    /// - Throws: ``FormworkError/Code/framingBroken`` with the part.
    public mutating func take(_ bytes: [UInt8]) throws(FormworkError) {
        try bytes.withRawSpan { bytes throws(FormworkError) in try self.take(bytes) }
    }

    /// Says that the body has ended.
    /// - Throws: ``FormworkError/Code/framingBroken`` when it has not for a receiver, or an earlier error again.
    public mutating func finish() throws(FormworkError) {
        if let failure = self.failure { throw failure }
        // A form without parts may be no bytes at all.
        if self.parser.offset == 0, self.next == self.expected.count { return }
        do throws(FormworkError) {
            try self.parser.finish()
        } catch {
            throw self.fail(self.broken("the body has no end that a receiver sees", self.upcoming?.part, error))
        }
        if let part = self.upcoming?.part {
            throw self.fail(self.broken("\(Self.number(part)) is missing when the body is read", part))
        }
    }

    // MARK: - What is found

    /// Bytes behind the close delimiter's line.
    private var hasTrailer = false
    private var finishOffset: Int64 = 0
    private var upcoming: Expected? { self.next < self.expected.count ? self.expected[self.next] : nil }

    /// - Returns: Whether there may be more in the bytes.
    private mutating func step(_ bytes: RawSpan, _ position: inout Int) throws(FormworkError) -> Bool {
        let event: MultipartParser.Event
        do throws(FormworkError) {
            event = try self.parser.next(in: bytes, from: &position)
        } catch {
            throw self.refused(error)
        }
        switch event {
        case .content, .heldContent: break
        case .partBegan(let header): try self.began(header)
        case .partEnded: try self.ended()
        case .finished:
            self.isFinished = true
            self.finishOffset = self.parser.offset
        case .needsInput:
            self.hasTrailer = self.isFinished && self.parser.offset > self.finishOffset
            return false
        }
        return true
    }

    private mutating func began(_ header: ReceivedHeader) throws(FormworkError) {
        guard let expected = self.upcoming, let part = expected.part else {
            throw self.broken("a part is found where none was written", nil)
        }
        guard expected.contentStart == self.parser.offset else {
            throw self.broken(
                "the header fields of \(Self.number(part)) end at offset \(self.parser.offset) instead of "
                    + "\(expected.contentStart): one of them holds an empty line", part)
        }
        if expected.isNamed {
            try self.compare(header.nameBytes, expected.name, "name", part)
            try self.compare(header.filenameBytes, expected.filename, "filename", part)
        }
        self.current = expected
        self.next += 1
    }

    private func compare(
        _ found: ArraySlice<UInt8>?, _ meant: [UInt8]?, _ role: String, _ part: PartReference
    ) throws(FormworkError) {
        guard found != meant?[...] else { return }
        let found = found.map { "\"\(String(decoding: $0, as: UTF8.self))\"" } ?? "none"
        throw self.broken("the \(role) of \(Self.number(part)) is read as \(found)", part)
    }

    private mutating func ended() throws(FormworkError) {
        let start = self.parser.offset - self.delimiterCount
        guard let expected = self.upcoming, expected.start == start else {
            throw self.delimiterInContent("at offset \(max(start, self.current?.contentStart ?? 0))", nil)
        }
        self.current = nil
    }

    // MARK: - Errors

    private static func number(_ part: PartReference) -> String {
        PartReference(index: part.index, name: nil).description
    }

    private func refused(_ error: FormworkError) -> FormworkError {
        guard self.current == nil else {
            return self.delimiterInContent("in a line that goes on, before offset \(error.offset ?? 0)", error)
        }
        guard let part = self.upcoming?.part else { return self.broken(error.message, nil, error) }
        return self.broken(
            "the header fields of \(Self.number(part)) can't be read back: \(error.message)", part, error)
    }

    private func delimiterInContent(_ place: String, _ error: FormworkError?) -> FormworkError {
        guard let part = self.current?.part else { return self.broken("a delimiter stands \(place)", nil, error) }
        return self.broken(
            "the content of \(Self.number(part)) holds the body's own delimiter \(place): choose another boundary",
            part,
            error)
    }

    private func broken(_ message: String, _ part: PartReference?, _ cause: FormworkError? = nil) -> FormworkError {
        FormworkError(.framingBroken, message, part: part, offset: self.parser.offset, cause: cause?.cause)
    }

    private mutating func fail(_ error: FormworkError) -> FormworkError {
        self.failure = error
        return error
    }
}
