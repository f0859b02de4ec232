import FormworkCore

/// Receives the pairs of a flattened tree: their text, escaped and joined, and if needed the pairs before they are escaped.
struct PairSink {
    typealias Pair = (name: String, value: Flattening.Leaf)
    /// The number of bytes and pairs so far: where the next pair begins.
    typealias Position = (text: Int, pairs: Int)

    private(set) var text: [UInt8] = []
    /// Empty unless they are kept.
    private(set) var pairs: [Pair] = []
    private let keepsPairs: Bool
    /// An empty first pair, null without a name, writes no text: only the `&` after it shows it.
    private var isFirst = true
    private let names: PercentEncoder
    private let values: PercentEncoder
    private let transcoding: URLEncodedDialect.Transcoding?
    /// Changes a whole name before it is escaped; `nil` for no change.
    private let rename: ((String) -> String)?

    /// - Parameter keepsPairs: Whether the pairs are the result. The text is only their order then, and text that can't be
    ///   transcoded isn't part of it.
    init(_ dialect: URLEncodedDialect, keepsPairs: Bool = false, rename: ((String) -> String)? = nil) {
        (self.names, self.values, self.transcoding) = (dialect.names, dialect.values, dialect.transcoding)
        (self.rename, self.keepsPairs) = (rename, keepsPairs)
    }

    var end: Position { (self.text.count, self.pairs.count) }

    mutating func append(name: String, value: Flattening.Leaf) throws(FormworkError) {
        if !self.isFirst { self.text.append(0x26) }
        self.isFirst = false
        if self.keepsPairs { self.pairs.append((name, value)) }
        try self.append(self.rename?(name) ?? name, self.names)
        switch value {
        case .nothing: break
        case .text(let text):
            self.text.append(0x3D)
            try self.append(text, self.values)
        case .bytes(let bytes):
            self.text.append(0x3D)
            self.text.append(escaping: bytes, self.values)
        }
    }

    private mutating func append(_ text: String, _ encoder: PercentEncoder) throws(FormworkError) {
        guard let transcoding else { return self.text.append(escaping: text.utf8, encoder) }
        if let bytes = transcoding.encode(text) {
            self.text.append(escaping: bytes, encoder)
        } else if !self.keepsPairs {
            throw FormworkError(.contentNotEncodable, "\"\(text)\" can't be written in \(transcoding.name)")
        }
    }

    /// Sorts the runs that begin at `starts` by their escaped text.
    mutating func sort(runs starts: [Position]) {
        guard starts.count > 1, let first = starts.first else { return }
        // A run begins after its `&`; the first of the whole text has none.
        let from = self.text[first.text] == 0x26 ? first.text + 1 : first.text
        // The first bytes as a number: most runs differ there.
        var runs: [(head: UInt64, text: Range<Int>, pairs: Range<Int>)] = []
        runs.reserveCapacity(starts.count)
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : self.end
            let range = (index == 0 ? from : start.text + 1)..<end.text
            let head = (0..<8).reduce(0 as UInt64) { head, offset in
                head << 8 | (offset < range.count ? UInt64(self.text[range.lowerBound + offset]) : 0)
            }
            runs.append((head, range, start.pairs..<end.pairs))
        }
        let (text, pairs) = (self.text, self.pairs)
        runs.sort {
            $0.head != $1.head ? $0.head < $1.head : text[$0.text].lexicographicallyPrecedes(text[$1.text])
        }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(text.count)
        sorted += text[..<from]
        for (index, run) in runs.enumerated() {
            if index > 0 { sorted.append(0x26) }
            sorted += text[run.text]
        }
        self.text = sorted
        if self.keepsPairs { self.pairs.replaceSubrange(first.pairs..., with: runs.flatMap { pairs[$0.pairs] }) }
    }
}
