import FormworkCore

extension URLEncodedDialect {
    /// Writes the members of a value. What is `nil` or empty is left out.
    ///
    /// ```swift
    /// let text = try URLEncodedDialect.php.encode(Search(words: "fog", pages: [1, 2]))
    /// // words=fog&pages%5B0%5D=1&pages%5B1%5D=2
    /// ```
    ///
    /// ``decode(_:from:)`` of the dialect reads an equal value. The exceptions are types that try several kinds of values until
    /// one fits: the text has no kinds, so such a type may read 1 as `"1"`. `Date`, `Data` and `URL` encode themselves, as with
    /// every encoder that doesn't know them.
    /// - Throws: `EncodingError` with the coding path for a value that this dialect would read back differently, such as an array
    ///   of objects whose ends aren't known, and for one that isn't an object; ``FormworkError/Code/contentNotEncodable`` for
    ///   text that ``transcoding`` can't represent; errors of the value's type.
    @_disfavoredOverload
    public func encode(_ value: some Encodable) throws -> String {
        let coding = self.coding
        let arena = EncodingArena(coding)
        var sink = TextSink(self)
        do {
            try value.encode(to: ValueEncoder(arena: arena, place: 0))
            try Flattener(rules: self.flattening).flatten(arena.tree.finished(), into: &sink)
        } catch let root as InvalidRoot {
            throw coding.refusal(value, [], "\(root.rawValue) has no names to write: use a struct or a dictionary")
        }
        if let place = arena.tree.emptyRequired { throw arena.emptyContainer(value, place) }
        var reader = self
        reader.parsing.limits = .unlimited
        do {
            try arena.tree.check(self.root(of: try reader.decode(sink.text))) { value in
                guard case .text(let text)? = try self.flattening.leaf(value, "") else { return nil }
                return text
            }
        } catch {
            let (path, why) = DecodingError.place(error) ?? ([], (error as? FormworkError)?.message ?? "\(error)")
            throw coding.refusal(value, path, "this dialect would read it back as another value: \(why)")
        }
        return String(decoding: sink.text, as: UTF8.self)
    }

    private var coding: URLEncodedCoding {
        var coding = URLEncodedCoding()
        coding.arrayOption = "Flattening.arrays"
        // Rack takes an index for a name.
        coding.indexedOption =
            self.expansion == .rack ? "the same members in each object, or another dialect" : "indexed"
        return coding
    }

    private func root(of tree: ParameterValue) -> TreeDecoder {
        var rules = URLEncodedDecoding()
        rules.coding = self.coding
        return TreeDecoder(Reading(PairTree(tree), rules), node: 0)
    }

    /// Reads a value from text of this dialect.
    ///
    /// Names become a tree as ``expansion`` says; a repeated name is an array, and a single value also an array of one. A
    /// missing name is an empty array, an object whose members are all missing, or `nil`.
    /// - Throws: `DecodingError` with the coding path, and what ``decode(_:)-(String)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try self.decode(type, from: Array(text.utf8))
    }

    /// Reads a value from bytes as received.
    /// - Throws: What ``decode(_:from:)-(_,String)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        try self.root(of: try self.decode(text)).read(type)
    }
}
