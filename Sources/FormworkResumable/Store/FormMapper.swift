import FormworkEssentials
import FormworkCore
import FormworkDigests

/// Parses a form while it arrives, to note where its large files are and to compute their digests.
///
/// What it keeps doesn't depend on the form's size: a header section at most, and the files' places. Any ``map`` can be
/// continued by another mapper, which needs none of the bytes before.
///
/// It decides nothing about the form: another parser checks limits and names when the form is complete. If this one can't
/// read the form, there is no map, and the other finds out why.
package struct FormMapper: Sendable {
    private let digestsFiles: Bool
    /// The least bytes of a file that is noted.
    private let least: Int64
    private var parser: MultipartParser
    /// What is added to the parser's offset to get the form's.
    private var shift: Int64 = 0
    /// The large files that have ended.
    private var files: [FormMap.File] = []
    private var place = FormMap.Position.Location.preamble
    private var count: Int64 = 0
    /// ``FormMap/Position/held``
    private var held: [UInt8] = []
    /// Where the content of the current part begins; `nil` outside of content.
    private var content: Int64?
    /// Its bytes so far, without those that are held.
    private var contentBytes: Int64 = 0
    private var isFile = false
    private var digest: SHA256Digest?
    private var hasFailed = false

    /// A mapper of a form's first bytes.
    /// - Parameters:
    ///   - digestsFiles: Whether the SHA-256 of each file is computed.
    ///   - least: The least bytes of a file that is noted.
    /// - Returns: `nil` if it isn't a form.
    package init?(_ contentType: String, digestsFiles: Bool, least: Int64) {
        guard let parser = try? MultipartParser(contentType: contentType, profile: .default, limits: Self.limits) else {
            return nil
        }
        (self.digestsFiles, self.least, self.parser) = (digestsFiles, least, parser)
    }

    private static let limits: ParsingLimits = {
        var (limits, usual) = (ParsingLimits.none, ParsingLimits.default)
        // What it keeps, and no more.
        (limits.preambleBytes, limits.headerBytes) = (usual.preambleBytes, usual.headerBytes)
        return limits
    }()

    /// A mapper that continues after the bytes that a map is of.
    package init?(_ contentType: String, digestsFiles: Bool, least: Int64, after map: FormMap) {
        self.init(contentType, digestsFiles: digestsFiles, least: least)
        let (from, delimiter) = (map.position, self.parser.delimiter.dropFirst(2) + [0x0D, 0x0A])
        (self.files, self.place, self.count) = (map.files, from.place, from.count)
        let held = Array(from.held)
        var begin: [UInt8] = []
        switch from.place {
        case .preamble, .end: break
        case .header: begin = Array(delimiter)
        case .content:
            guard let content = from.content, content <= from.count - Int64(held.count) else { return nil }
            begin = delimiter + Array("Content-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
            // What is held may be a delimiter without CRLF, but only at the content's beginning.
            if content < from.count - Int64(held.count) { begin.append(0x78) }
        }
        self.shift = from.count - Int64(held.count + begin.count)
        begin.withRawSpan { _ = self.parse($0) }
        (self.isFile, self.content, self.place) = (from.isFile, from.content, from.place)
        self.contentBytes = from.content.map { from.count - Int64(held.count) - $0 } ?? 0
        if from.isFile, let saved = from.digest {
            guard let digest = SHA256Digest(saved: Array(saved)) else { return nil }
            self.digest = digest
        } else {
            self.digest = nil
        }
        held.withRawSpan { _ = self.parse($0) }
        self.held = held
        guard !self.hasFailed, self.place == from.place else { return nil }
    }

    /// What was found; `nil` if it can't be read as a form.
    package var map: FormMap? {
        guard !self.hasFailed else { return nil }
        var position = FormMap.Position(count: self.count, place: self.place, held: Data(self.held))
        if self.place == .content {
            (position.content, position.isFile) = (self.content, self.isFile)
            position.digest = self.digest.map { Data($0.saved) }
        }
        return FormMap(files: self.files, position: position)
    }

    /// Where the large files after an offset begin and end, in order, as far as that is known. The one that begins at the
    /// offset only ends.
    func borders(after offset: Int64) -> [Int64] {
        var borders = self.files.reversed().prefix { $0.end > offset }.reversed().flatMap { [$0.start, $0.end] }
        if let content, self.isFile, self.contentBytes >= self.least, self.files.count < FormMap.limit {
            borders.append(content)
        }
        return borders.filter { $0 > offset }
    }

    /// Takes the form's next bytes.
    package mutating func update(_ bytes: RawSpan) {
        guard !self.hasFailed else { return }
        self.count += Int64(bytes.byteCount)
        let start = self.parse(bytes)
        switch self.place {
        case .preamble, .header: self.held.append(bytes, start..<bytes.byteCount)
        case .content:
            let held = self.parser.retainedBytes
            if held > bytes.byteCount - start {
                self.held.append(bytes, start..<bytes.byteCount)
            } else {
                self.held = [UInt8](copying: bytes, bytes.byteCount - held..<bytes.byteCount)
            }
            self.held.removeFirst(self.held.count - held)
        case .end: self.held = []
        }
    }

    /// - Returns: Where the last part's header section or content begins in the bytes; 0 if it began before. What was held
    ///   for the part before is gone then.
    private mutating func parse(_ bytes: RawSpan) -> Int {
        var (position, start) = (0, 0)
        do throws(FormworkError) {
            while self.place != .end {
                switch try self.parser.next(in: bytes, from: &position) {
                case .needsInput: return start
                case .partBegan(let header):
                    self.began(header)
                    (start, self.held) = (position, [])
                case .content(let range):
                    self.contentBytes += Int64(range.count)
                    self.digest?.update(bytes.extracting(range))
                case .heldContent(let held):
                    self.contentBytes += Int64(held.count)
                    held.withRawSpan { self.digest?.update($0) }
                case .partEnded:
                    self.ended()
                    (start, self.held) = (position, [])
                case .finished: self.place = .end
                }
            }
        } catch {
            self.hasFailed = true
        }
        return start
    }

    private mutating func began(_ header: ReceivedHeader) {
        (self.place, self.isFile) = (.content, header.isFile)
        (self.content, self.contentBytes) = (self.shift + self.parser.offset, 0)
        self.digest = header.isFile && self.digestsFiles ? SHA256Digest() : nil
    }

    private mutating func ended() {
        if let start = self.content, self.isFile, self.contentBytes >= self.least, self.files.count < FormMap.limit {
            let sha256 = self.digest.map { Data($0.finalized()) }
            self.files.append(FormMap.File(start: start, end: start + self.contentBytes, sha256: sha256))
        }
        (self.content, self.isFile, self.digest) = (nil, false, nil)
        self.place = self.parser.isAfterClose ? .end : .header
    }
}
