import FormworkCore

/// Pairs, escaped and joined.
struct TextSink: PairSink {
    private(set) var text: [UInt8] = []
    /// An empty first pair, null without a name, writes no text: only the `&` after it shows it.
    private var isFirst = true
    private let names: PercentEncoder
    private let values: PercentEncoder
    private let transcoding: URLEncodedDialect.Transcoding?

    init(_ dialect: URLEncodedDialect) {
        (self.names, self.values, self.transcoding) = (dialect.names, dialect.values, dialect.transcoding)
    }

    var end: Int { self.text.count }

    mutating func append(name: String, value: Flattening.Leaf) throws(FormworkError) {
        if !self.isFirst { self.text.append(0x26) }
        self.isFirst = false
        try self.append(name, self.names)
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
        let runs = starts.indices.map { index in
            let run = self.text[starts[index]..<(index + 1 < starts.count ? starts[index + 1] : self.text.count)]
            return run.first == 0x26 ? run.dropFirst() : run
        }
        let from = runs.first?.startIndex ?? first
        // The slices keep a copy of the removed bytes.
        self.text.removeLast(self.text.count - from)
        for (index, run) in runs.sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated() {
            if index > 0 { self.text.append(0x26) }
            self.text += run
        }
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
