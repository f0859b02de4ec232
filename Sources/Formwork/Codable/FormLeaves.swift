import FormworkURLEncoded

/// The fields and files of a form that is being decoded, and the decoder's settings.
final class FormLeaves {
    typealias Value = ValueDecoder.Value

    let parts: CollectedParts
    let options: FormDataDecoder
    let coding: CodingPolicy
    /// Whether each part is the member of its name, so that no tree is made of the names.
    private let arePartsMembers: Bool

    init(_ parts: CollectedParts, _ options: FormDataDecoder) {
        (self.parts, self.options, self.coding) = (parts, options, options.coding)
        self.arePartsMembers = parts.haveOwnPlainNames(dots: options.splitsAtDots)
    }

    /// Decodes the form.
    func read<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        try ValueDecoder(self.arePartsMembers ? .object([]) : self.tree(), self).read(type)
    }

    /// The tree of a form with any names.
    private func tree() throws(FormworkError) -> Value {
        let tree = NameTree(overwrites: false, duplicates: self.options.duplicates, groups: true)
        // Trees are walked recursively, so even `.max` needs a bound.
        let depth = min(max(0, self.options.nameDepth), 512)
        for index in 0..<self.parts.count {
            guard let name = self.parts.name(index) else { continue }
            let bytes = Array(name.utf8)
            let path = NameKey.path(bytes, dots: self.options.splitsAtDots, limit: depth) ?? [NameKey(bytes[...])]
            guard path.count <= depth + 1 else {
                throw ParsingFailure(.nameDepthLimit, limit: Int64(depth))
                    .error("The name nests deeper than \(depth, "level") (FormDataDecoder.nameDepth).", at: nil)
                    .naming(PartReference(index: index, name: name))
            }
            do throws(FormworkError) {
                try tree.set(index, at: path, named: name)
            } catch {
                throw error.naming(PartReference(index: index, name: name))
            }
        }
        return tree.value
    }
}

extension FormLeaves: DecodingLeaves {
    var changes: ChangedNames? { nil }
    var memberCount: Int? { self.arePartsMembers ? self.parts.count : nil }

    func name(_ leaf: Int) -> String { self.parts.name(leaf) ?? "" }

    func isNamed(_ leaf: Int, _ name: String) -> Bool { self.parts.isNamed(leaf, name) }
    func plainText(_ leaf: Int) -> String? { self.parts.plainText(leaf) }
    func plainNumber(_ leaf: Int) -> Int64? { self.parts.plainNumber(leaf) }
    func isNothing(_ leaf: Int) -> Bool { self.parts.isEmptyFileControl(leaf) }

    func isEmpty(_ leaf: Int) -> Bool {
        let entry = self.parts.entry(leaf)
        return !entry.isFile && entry.content.count == 0
    }

    func text(_ leaf: Int, as type: Any.Type, at decoder: ValueDecoder) throws -> String {
        let entry = self.parts.entry(leaf)
        guard !entry.isFile else { throw decoder.mismatch(type, "a field, not a file") }
        do throws(FormworkError) {
            return try entry.text(in: self.options.textDecoding)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }

    /// A file, unless no file was chosen.
    func plainValue<Wanted>(_ type: Wanted.Type, _ leaf: Int) -> Wanted? {
        guard type == FormFile.self, let file = self.parts.file(leaf) else { return nil }
        return FormFile(
            filename: file.header.filename, contentType: file.header.contentType, source: file.content.source)
            as? Wanted
    }

    func file(_ decoder: ValueDecoder) throws -> FormFile {
        try self.checkChosen(FormFile.self, decoder)
        let entry = self.parts.entry(try decoder.leaf(for: FormFile.self))
        guard entry.isFile else { throw decoder.mismatch(FormFile.self, "a file") }
        return FormFile(entry)
    }

    func isEmbedded(_ leaf: Int) -> Bool { self.parts.header(leaf).isJSON }

    /// A value that is neither text nor bytes. The elements of a list may also be separate parts
    /// of JSON, and those that are ``JSONPart`` always are.
    func embedded<Wanted: Decodable>(_ type: Wanted.Type, _ leaf: Int, at decoder: ValueDecoder) throws -> Wanted? {
        guard self.isEmbedded(leaf) else { return nil }
        let isSet = type is any SetAlgebra.Type && !(type is any OptionSet.Type)
        if type is any RangeReplaceableCollection.Type || isSet {
            if let list = type as? any Sequence.Type, list.elementType is any AnyJSONPart.Type { return nil }
            guard self.parts.content(leaf).inMemory?.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == 0x5B
            else {
                return nil
            }
        }
        return try self.readJSON(type, decoder)
    }

    /// Refuses a file control that was left empty. It isn't a file without content: a program would store that.
    private func checkChosen(_ type: Any.Type, _ decoder: ValueDecoder) throws(DecodingError) {
        guard let leaf = decoder.leaf, self.isNothing(leaf) else { return }
        throw .valueNotFound(
            type,
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "The file control was left empty: no file was chosen. An optional would be nil."))
    }

    fileprivate func bytes<Chunk: BodyChunk>(_ type: Chunk.Type, _ decoder: ValueDecoder) throws -> Chunk {
        try self.checkChosen(type, decoder)
        guard let leaf = decoder.leaf else {
            throw decoder.mismatch(type, "one field or file, because it is bytes; use [Int] for a list of numbers")
        }
        return Chunk(copying: try self.content(of: leaf, decoder)[...])
    }

    /// A part's content in memory.
    private func content(of leaf: Int, _ decoder: ValueDecoder) throws -> [UInt8] {
        let content = self.parts.content(leaf)
        do throws(FormworkError) { return try content.bytesNow(upTo: self.options.memoryBytes) } catch {
            let message =
                error.code == .limitExceeded
                ? "The file has \(content.count, "byte"): the limit in memory is \(self.options.memoryBytes)"
                    + " (FormDataDecoder.memoryBytes). Use FormFile to leave it on disk."
                : error.message
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: message, underlyingError: error))
        }
    }

    /// Decodes a part of JSON.
    func readJSON<Wanted: Decodable>(_ type: Wanted.Type, _ decoder: ValueDecoder) throws -> Wanted {
        guard let leaf = decoder.leaf else { throw decoder.mismatch(type, "one part of JSON") }
        return try self.readJSON(type, self.content(of: leaf, decoder), decoder)
    }

    func readJSON<Wanted: Decodable>(
        _ type: Wanted.Type, _ json: some Sequence<UInt8>, _ decoder: ValueDecoder
    ) throws -> Wanted {
        guard let coding = JSONParts.coding else { throw JSONParts.missing }
        do {
            return try coding.value(type, of: Array(json), dates: self.options.dates, userInfo: self.options.userInfo)
        } catch let error as DecodingError {
            throw error.prefixed(by: decoder.codingPath)
        }
    }
}

extension FormDataDecoder {
    fileprivate var coding: CodingPolicy {
        CodingPolicy(
            foreign: ReceivedBytes(), dates: self.dates, acceptsNonFiniteNumbers: self.acceptsNonFiniteNumbers,
            readsEmptyAsNil: true, userInfo: self.userInfo, hasSparseIndices: self.indices == .sparse,
            lists: self.nameDepth, needsObject: true, key: self.keyDecodingStrategy.convert,
            wording: {
                $0.objectNames = "fields with brackets in their names, or a part of type application/json"
                $0.owner = "FormDataDecoder"
            })
    }
}

extension FormDataDecoder.KeyDecodingStrategy {
    /// The key of a name, by the path to its object; `nil` for the name itself.
    fileprivate var convert: ((_ name: String, _ path: [any CodingKey]) -> String)? {
        switch self {
        case .useDefaultKeys: nil
        case .convertFromSnakeCase: { name, _ in CamelCase.joined(name) }
        case .custom(let convert): { name, path in convert(path + [IndexKey(named: name)]).stringValue }
        }
    }
}

/// Reads the types that are bytes.
private struct ReceivedBytes: ForeignTypes {
    func value<Wanted: Decodable>(_ type: Wanted.Type, from decoder: ValueDecoder) throws -> Wanted? {
        guard let chunk = type as? any BodyChunk.Type, let form = decoder.leaves as? FormLeaves else { return nil }
        return try form.bytes(chunk, decoder) as? Wanted
    }
}

extension DecodingError {
    /// The error with the path to the part in front of its coding path.
    func prefixed(by path: [any CodingKey]) -> DecodingError {
        func longer(_ context: Context) -> Context {
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, longer(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, longer(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, longer(context))
        case .dataCorrupted(let context): .dataCorrupted(longer(context))
        @unknown default: self
        }
    }
}

extension Sequence {
    fileprivate static var elementType: Any.Type { Element.self }
}
