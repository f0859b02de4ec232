import FormworkCore

/// Pairs, escaped and joined.
struct TextSink: PairSink {
    private(set) var text: [UInt8] = []
    /// An empty first pair, null without a name, writes no text: only the `&` after it shows it.
    private var isFirst = true
    private let names: PercentEncoder
    private let values: PercentEncoder
    private let transcoding: URLEncodedDialect.Transcoding?
    /// Changes a whole name before it is escaped; `nil` for no change.
    private let rename: ((String) -> String)?

    init(_ dialect: URLEncodedDialect) {
        (self.names, self.values, self.transcoding) = (dialect.names, dialect.values, dialect.transcoding)
        self.rename = nil
    }

    init(_ escaping: PercentEncoder, rename: ((String) -> String)?) {
        (self.names, self.values, self.transcoding, self.rename) = (escaping, escaping, nil, rename)
    }

    var end: Int { self.text.count }

    mutating func append(name: String, value: Flattening.Leaf) throws(FormworkError) {
        if !self.isFirst { self.text.append(0x26) }
        self.isFirst = false
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
        guard let transcoding else { return self.text.append(escaping: text, encoder) }
        guard let bytes = transcoding.encode(text) else {
            throw FormworkError(.contentNotEncodable, "\"\(text)\" can't be written in \(transcoding.name)")
        }
        self.text.append(escaping: bytes, encoder)
    }

    mutating func sort(runs starts: [Int]) {
        guard starts.count > 1, let first = starts.first else { return }
        // A run begins after its `&`; the first of the whole text has none.
        let from = self.text[first] == 0x26 ? first + 1 : first
        var runs: [Range<Int>] = []
        runs.reserveCapacity(starts.count)
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : self.text.count
            runs.append(index == 0 ? from..<end : start + 1..<end)
        }
        let text = self.text
        runs.sort { text.order($0, $1) < 0 }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(text.count)
        sorted += text[..<from]
        for (index, run) in runs.enumerated() {
            if index > 0 { sorted.append(0x26) }
            sorted += text[run]
        }
        self.text = sorted
    }
}

extension [UInt8] {
    /// Which of two ranges comes first, byte by byte: negative, 0 or positive.
    fileprivate func order(_ left: Range<Int>, _ right: Range<Int>) -> Int {
        for offset in 0..<Swift.min(left.count, right.count) {
            let (mine, other) = (self[left.lowerBound + offset], self[right.lowerBound + offset])
            if mine != other { return Int(mine) - Int(other) }
        }
        return left.count - right.count
    }
}

/// Pairs before they are escaped.
struct PairsSink: PairSink {
    private(set) var pairs: [(name: String, value: Flattening.Leaf)] = []
    let dialect: URLEncodedDialect

    init(_ dialect: URLEncodedDialect) { self.dialect = dialect }

    var end: Int { self.pairs.count }

    mutating func append(name: String, value: Flattening.Leaf) { self.pairs.append((name, value)) }

    mutating func sort(runs starts: [Int]) {
        guard starts.count > 1, let first = starts.first else { return }
        let runs = starts.indices.map { index in
            let end = index + 1 < starts.count ? starts[index + 1] : self.pairs.count
            let pairs = Array(self.pairs[starts[index]..<end])
            return (text: self.escaped(pairs), pairs: pairs)
        }
        let sorted = runs.sorted { $0.text.lexicographicallyPrecedes($1.text) }
        self.pairs.replaceSubrange(first..., with: sorted.flatMap(\.pairs))
    }

    private func escaped(_ pairs: [(name: String, value: Flattening.Leaf)]) -> [UInt8] {
        var sink = TextSink(self.dialect)
        // Text that can't be transcoded is ignored in the order.
        for pair in pairs { try? sink.append(name: pair.name, value: pair.value) }
        return sink.text
    }
}
