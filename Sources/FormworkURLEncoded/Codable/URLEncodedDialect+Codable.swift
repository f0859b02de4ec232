import FormworkCore

extension URLEncodedDialect {
    /// Writes the members of a value. What is `nil` or empty is left out.
    ///
    /// ```swift
    /// let text = try URLEncodedDialect.php.encode(Search(words: "fog", pages: [1, 2]))
    /// // words=fog&pages%5B0%5D=1&pages%5B1%5D=2
    /// ```
    ///
    /// `decode(_:from:)` of the dialect reads an equal value. The exceptions are types that try several kinds of values until
    /// one fits: the text has no kinds, so such a type may read 1 as `"1"`. A `Date` is ISO 8601, and a type that is
    /// `FormTextConvertible`, such as `Decimal` and `URL`, is its text; `Data` encodes itself.
    /// - Throws: `EncodingError` with the coding path for a value that this dialect would read back differently, such as an array
    ///   of objects whose ends aren't known, and for one that isn't an object; ``FormworkError/Code/contentNotEncodable`` for
    ///   text that ``transcoding`` can't represent; errors of the value's type.
    @_disfavoredOverload
    public func encode(_ value: some Encodable) throws -> String {
        let coding = self.coding
        let arena = EncodingArena(coding)
        var sink = TextSink(self)
        do {
            try arena.encode(value)
        } catch let root as InvalidRoot {
            throw coding.refusal(value, [], "There are no names for \(root.rawValue): use a struct or a dictionary")
        }
        do {
            try Flattener(rules: self.flattening).flatten(arena.tree.finished(), into: &sink)
        } catch let error as FormworkError where error.code != .contentNotEncodable {
            throw coding.refusal(value, [], error.message)
        }
        if let place = arena.tree.emptyRequired { throw arena.emptyContainer(place) }
        var reader = self
        reader.parsing.limits = .unlimited
        do {
            try arena.tree.check(self.decoder(of: try reader.decode(sink.text))) { value in
                guard case .text(let text)? = try self.flattening.leaf(value, "") else { return nil }
                return text
            }
        } catch {
            let (path, why) = DecodingError.place(error) ?? ([], "\(error)")
            throw coding.refusal(value, path, "This dialect would read it back as another value: \(why)")
        }
        return String(decoding: sink.text, as: UTF8.self)
    }

    private var coding: CodingPolicy {
        var coding = CodingPolicy()
        coding.words.arrayOption = "Flattening.arrays"
        coding.words.nameOption = "URLEncodedDialect.expansion"
        coding.words.splittingOption = "a separator of Flattening.members"
        (coding.dates, coding.readsEmptyAsNil) = (.iso8601, true)
        if case .repeated = self.flattening.arrays { coding.flattening.arrays = .repeated }
        coding.words.indexedOption =
            switch self.expansion {
            // Rack takes an index for a name.
            case .rack: "the same members in each object, or another dialect"
            case .flat: "repeated for single values, or another dialect"
            case .brackets, .dots, .php: "indexed"
            }
        return coding
    }

    private func decoder(of tree: ParameterValue) -> ValueDecoder {
        var texts: [String?] = []
        let root = ValueDecoder.Value(tree, &texts)
        return ValueDecoder(root, TextLeaves(texts, of: self.coding, lists: self.parsing.limits.depth))
    }

    /// Reads a value from text of this dialect.
    ///
    /// Names become a tree as ``expansion`` says; a repeated name is an array, and a single value also an array of one. A
    /// missing name is an empty array, an object whose members are all missing, or `nil`. An empty text is `nil` for optionals of
    /// other types than `String`. Members with numbers of any order are an array for a type that wants one.
    /// - Throws: `DecodingError` with the coding path, and what ``decode(_:)-(String)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try self.decode(type, from: Array(text.utf8))
    }

    /// Reads a value from bytes as received.
    /// - Throws: What ``decode(_:from:)-(_,String)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        try self.decoder(of: try self.decode(text)).read(type)
    }
}

extension ValueDecoder.Value {
    /// The tree of a value that was read. A name that occurs more than once has several values.
    fileprivate init(_ value: ParameterValue, _ texts: inout [String?]) {
        switch value {
        case .object(let members):
            var (named, places): ([(name: String, value: Self)], [[UInt8]: Int]) = ([], [:])
            for member in members {
                let value = Self(member.value, &texts)
                // By bytes: the two spellings of `é` are different names.
                let place = places[Array(member.name.utf8), default: named.count]
                guard place < named.count else {
                    places[Array(member.name.utf8)] = place
                    named.append((member.name, value))
                    continue
                }
                if case .array(let values) = named[place].value {
                    named[place].value = .array(values + [value])
                } else {
                    named[place].value = .array([named[place].value, value])
                }
            }
            self = .object(named)
        case .array(let elements), .set(let elements): self = .array(elements.map { Self($0, &texts) })
        case .text(let text):
            texts.append(text)
            self = .leaf(texts.count - 1)
        case .null, .bool, .integer, .double, .bytes:
            texts.append(nil)
            self = .leaf(texts.count - 1)
        }
    }
}
