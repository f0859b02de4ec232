import FormworkCore

/// A way to write parameters as a query string or a url-encoded form, and to read them back.
///
/// ```swift
/// let text = try URLEncodedDialect.alamofire.encode(["page": 1, "tags": ["a", "b"]])
/// // page=1&tags%5B%5D=a&tags%5B%5D=b
/// ```
///
/// Use one of the named dialects, such as ``whatwg`` for browsers or ``php``, and change its properties if a server
/// differs. A dialect is a value, so a change doesn't affect others, and several tasks can use one.
///
/// The whole text is in memory; ``URLEncodedParsing/limits`` bound what is read. For text that arrives in pieces, use a
/// ``URLEncodedParser``.
public struct URLEncodedDialect: Sendable {
    /// An encoding of text other than UTF-8.
    public struct Transcoding: Sendable {
        /// Its name in errors: `GB18030`.
        public var name: String
        /// The text's bytes; `nil` for text that the encoding can't represent.
        public var encode: @Sendable (String) -> [UInt8]?

        /// Creates an encoding.
        public init(name: String, encode: @escaping @Sendable (String) -> [UInt8]?) {
            (self.name, self.encode) = (name, encode)
        }
    }

    /// How a tree of values becomes names and texts.
    public var flattening: Flattening
    /// How names are escaped.
    public var names: PercentEncoder
    /// How values are escaped.
    public var values: PercentEncoder
    /// How names and values become bytes before they are escaped; `nil` for UTF-8.
    public var transcoding: Transcoding?
    /// How text is split into pairs and unescaped.
    public var parsing: URLEncodedParsing
    /// How names become a tree when they are read.
    public var expansion: NameExpansion
    /// Whether to refuse parameters that ``decode(_:)-(String)`` would read differently. Values are compared by their
    /// texts, and one that isn't written counts as lost, as a member whose name occurs again may be.
    public var checksReadBack: Bool

    /// Creates a dialect; by default ``whatwg``.
    public init(
        flattening: Flattening = Flattening(), names: PercentEncoder = .form, values: PercentEncoder = .form,
        transcoding: Transcoding? = nil, parsing: URLEncodedParsing = URLEncodedParsing(),
        expansion: NameExpansion = .flat, checksReadBack: Bool = false
    ) {
        (self.flattening, self.names, self.values) = (flattening, names, values)
        (self.transcoding, self.parsing, self.expansion) = (transcoding, parsing, expansion)
        self.checksReadBack = checksReadBack
    }

    /// Writes parameters: an object, or an array if the dialect allows it at the top.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for values that the rules or ``checksReadBack`` refuse;
    ///   `limitExceeded` for a tree that is too deep; `contentNotEncodable` for text that ``transcoding`` can't
    ///   represent.
    public func encode(_ parameters: ParameterValue) throws(FormworkError) -> String {
        var sink = PairSink(self)
        try Flattener(rules: self.flattening).flatten(parameters, into: &sink)
        if self.checksReadBack { try ReadBack(dialect: self).check(parameters, as: sink.text) }
        return String(decoding: sink.text, as: UTF8.self)
    }

    /// Writes pairs in their order; the only rule is escaping, and ``transcoding`` doesn't apply.
    public func encode(_ pairs: [URLEncodedPair]) -> [UInt8] {
        var output: [UInt8] = []
        self.append(pairs, to: &output)
        return output
    }

    /// Appends pairs to the caller's buffer, which can be reused: it grows at most once. No `&` is written before the
    /// first pair.
    public func append(_ pairs: [URLEncodedPair], to buffer: inout [UInt8]) {
        buffer.append(escaping: pairs, names: self.names, values: self.values)
    }

    /// The names and texts of parameters before they are escaped; bytes are decoded as UTF-8.
    /// - Throws: What ``encode(_:)-(ParameterValue)`` throws.
    public func pairs(of parameters: ParameterValue) throws(FormworkError) -> [URLEncodedPair] {
        try self.leaves(of: parameters).map { pair throws(FormworkError) in
            switch pair.value {
            case .nothing: URLEncodedPair(pair.name, nil)
            case .text(let text): URLEncodedPair(pair.name, text)
            case .bytes(let bytes): URLEncodedPair(pair.name, String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// The names and values of parameters before they are escaped.
    /// - Throws: What ``encode(_:)-(ParameterValue)`` throws.
    package func leaves(
        of parameters: ParameterValue
    ) throws(FormworkError) -> [(name: String, value: Flattening.Leaf)] {
        if self.checksReadBack { _ = try self.encode(parameters) }
        var sink = PairSink(self, keepsPairs: true)
        try Flattener(rules: self.flattening).flatten(parameters, into: &sink)
        return sink.pairs
    }
}
