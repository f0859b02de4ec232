/// Parses a body while it is sent, and compares the parts that a receiver finds with the intended ones.
///
/// The writer first announces where each part and its content begin, then passes the bytes, which are not stored.
/// Content that contains the delimiter, a header field with an empty line, or a name that ends its quotes is an error
/// as soon as its bytes are passed. After an error every call throws it again.
struct FramingValidator: Sendable {
    private struct Expected {
        /// `nil` for the end after the last part.
        var part: PartReference?
        /// The name as written; `nil` for none.
        var name: [UInt8]?
        /// The filename as written; `nil` for none.
        var filename: [UInt8]?
        /// Whether the names are known. They aren't if the free fields have their own `Content-Disposition`.
        var isNamed = false
        var start: Int64
        var contentStart: Int64
    }

    private var parser: MultipartParser
    private let escaping: ParameterEscaping
    /// The number of bytes of CRLF, `--`, boundary, and CRLF or `--`.
    private let delimiterCount: Int64
    private var expected: [Expected] = []
    /// The index in ``expected`` of the next part. A batch of small parts is announced at once.
    private var next = 0
    /// The part whose content is being read.
    private var current: Expected?
    private var isFinished = false
    private var failure: FormworkError?

    /// Checks bodies of this framing.
    init(_ framing: MultipartFraming) {
        self.parser = MultipartParser(boundary: framing.boundary, profile: ParsingProfile(of: framing), limits: .none)
        self.escaping = framing.escaping
        self.delimiterCount = Int64(framing.boundary.text.utf8.count) + 6
    }

    /// Announces the next part, before its bytes are passed.
    /// - Parameters:
    ///   - part: The part's name in errors.
    ///   - header: The header from which its header section was written.
    ///   - start: The offset of its delimiter in the body, including the CRLF before it.
    ///   - contentStart: The offset of its content.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for names that the framing's escaping refuses.
    mutating func expect(
        _ part: PartReference, _ header: PartHeader, from start: Int64, contentFrom contentStart: Int64
    ) throws(FormworkError) {
        let name = try self.written(header.name, as: "name")
        let filename = try self.written(header.filename, as: "filename")
        self.append(
            Expected(
                part: part, name: name, filename: filename, isNamed: header.disposition != nil, start: start,
                contentStart: contentStart))
    }

    /// Announces the end of the parts, before the last bytes are passed.
    /// - Parameter start: The offset of the bytes after the last part, including their CRLF.
    mutating func expectEnd(from start: Int64) {
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

    /// Checks the body's next bytes.
    /// - Throws: ``FormworkError/Code/framingBroken`` with the part.
    mutating func take(_ bytes: RawSpan) throws(FormworkError) {
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

    /// Checks the body's next bytes.
    /// - Throws: ``FormworkError/Code/framingBroken`` with the part.
    mutating func take(_ bytes: [UInt8]) throws(FormworkError) {
        try bytes.withRawSpan { bytes throws(FormworkError) in try self.take(bytes) }
    }

    /// Announces the end of the body.
    /// - Throws: ``FormworkError/Code/framingBroken`` if a receiver doesn't see the end, or an earlier error again.
    mutating func finish() throws(FormworkError) {
        if let failure = self.failure { throw failure }
        // A form without parts may be empty.
        if self.parser.offset == 0, self.next == self.expected.count { return }
        do throws(FormworkError) {
            try self.parser.finish()
        } catch {
            throw self.fail(self.broken("a receiver doesn't find the end of the body", self.upcoming?.part, error))
        }
        if let part = self.upcoming?.part {
            throw self.fail(self.broken("a receiver doesn't find \(Self.number(part))", part))
        }
    }

    // MARK: - What is found

    /// Whether bytes follow the close delimiter's line.
    private var hasTrailer = false
    private var finishOffset: Int64 = 0
    private var upcoming: Expected? { self.next < self.expected.count ? self.expected[self.next] : nil }

    /// - Returns: Whether there may be more events in the bytes.
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
            throw self.broken("a receiver finds a part where none was written", nil)
        }
        guard expected.contentStart == self.parser.offset else {
            throw self.broken(
                "the header fields of \(Self.number(part)) end at offset \(self.parser.offset) instead of "
                    + "\(expected.contentStart): one of them contains an empty line", part)
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
            let place = max(start, self.current?.contentStart ?? 0)
            var error = self.delimiterInContent("at offset \(place)", nil)
            error.offset = place
            throw error
        }
        self.current = nil
    }

    // MARK: - Errors

    private static func number(_ part: PartReference) -> String {
        PartReference(index: part.index, name: nil).description
    }

    private func refused(_ error: FormworkError) -> FormworkError {
        guard self.current == nil else {
            return self.delimiterInContent("in a longer line, before offset \(error.offset ?? 0)", error)
        }
        guard let part = self.upcoming?.part else { return self.broken(error.message, nil, error) }
        return self.broken(
            "the header fields of \(Self.number(part)) can't be read back: \(error.message)", part, error)
    }

    private func delimiterInContent(_ place: String, _ error: FormworkError?) -> FormworkError {
        guard let part = self.current?.part else { return self.broken("there is a delimiter \(place)", nil, error) }
        return self.broken(
            "the content contains the body's own delimiter \(place): choose another boundary", part, error)
    }

    private func broken(_ message: String, _ part: PartReference?, _ cause: FormworkError? = nil) -> FormworkError {
        FormworkError(.framingBroken, message, part: part, offset: self.parser.offset, cause: cause?.cause)
    }

    private mutating func fail(_ error: FormworkError) -> FormworkError {
        self.failure = error
        return error
    }
}
