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
        let arena = EncodingArena(self.coding)
        var sink = PairSink(self)
        do { try arena.encode(value) } catch let root as InvalidRoot {
            let why = "There are no names for \(root.rawValue): use a struct or a dictionary"
            throw arena.refusal(value, arena.root, why)
        }
        do throws(FormworkError) {
            try Flattener(rules: self.flattening).flatten(arena.root.parameters, into: &sink)
        } catch {
            if error.code == .contentNotEncodable { throw error }
            throw arena.refusal(value, arena.root, error.message)
        }
        var reader = self
        reader.parsing.limits = .unlimited
        do {
            try arena.check(self.decoder(of: try reader.decode(sink.text))) { value in
                guard case .text(let text)? = try self.flattening.leaf(value, "") else { return nil }
                return text
            }
        } catch {
            let (path, why) = DecodingError.place(error) ?? ([], "\(error)")
            throw arena.coding.refusal(value, path, "This dialect would read it back as another value: \(why)")
        }
        return String(decoding: sink.text, as: UTF8.self)
    }

    private var coding: CodingPolicy {
        var rules = CodingPolicy.swift
        if case .repeated = self.flattening.arrays { rules.arrays = .repeated }
        let expansion = self.expansion
        return CodingPolicy(
            flattening: rules, dates: .iso8601, readsEmptyAsNil: true, lists: self.parsing.limits.depth,
            wording: { words in
                words.arrayOption = "Flattening.arrays"
                words.nameOption = "URLEncodedDialect.expansion"
                words.splittingOption = "a separator of Flattening.members"
                words.indexedOption =
                    switch expansion {
                    // Rack takes an index for a name.
                    case .rack: "the same members in each object, or another dialect"
                    case .flat: "repeated for single values, or another dialect"
                    case .brackets, .dots, .php: "indexed"
                    }
            })
    }

    private func decoder(of tree: ParameterValue) throws -> ValueDecoder {
        var texts: [String?] = []
        let root = try ValueDecoder.Value(tree, &texts, joins: self.expansion == .flat)
        return ValueDecoder(root, TextLeaves(texts, self.coding))
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
    public func decode<Value: Decodable>(_ type: Value.Type, from text: some Sequence<UInt8>) throws -> Value {
        try self.decoder(of: try self.decode(Array(text))).read(type)
    }
}

extension ValueDecoder.Value {
    /// The tree of a value that was read.
    /// - Parameter joins: Whether a name that occurs more than once is an array. Otherwise a tree has each name once, and
    ///   two are the same only if they aren't UTF-8.
    fileprivate init(_ value: ParameterValue, _ texts: inout [String?], joins: Bool) throws {
        switch value {
        case .object(let members):
            var (names, values): (KeyIndex<[UInt8]>, [Self]) = (KeyIndex(), [])
            for member in members {
                let value = try Self(member.value, &texts, joins: joins)
                // By bytes: the two spellings of `é` are different names.
                let name = Array(member.name.utf8)
                guard let place = names.place(of: name) else {
                    names.append(name)
                    values.append(value)
                    continue
                }
                guard joins else {
                    throw FormworkError(.malformedBody, "\"\(member.name)\" is two names that aren't UTF-8")
                }
                if case .array(let elements) = values[place] {
                    values[place] = .array(elements + [value])
                } else {
                    values[place] = .array([values[place], value])
                }
            }
            self = .object(zip(names.keys, values).map { (String(decoding: $0, as: UTF8.self), $1) })
        case .array(let elements), .set(let elements):
            self = .array(try elements.map { try Self($0, &texts, joins: joins) })
        case .text(let text):
            texts.append(text)
            self = .leaf(texts.count - 1)
        case .null, .bool, .integer, .double, .bytes:
            texts.append(nil)
            self = .leaf(texts.count - 1)
        }
    }
}
