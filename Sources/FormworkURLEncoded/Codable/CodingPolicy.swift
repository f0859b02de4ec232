import FormworkCore

/// How values of `Codable` types become names and texts, and how these are read back.
///
/// It is made in one step, for each form, and all its properties are constants: a class's variable would be checked for
/// exclusive access with each value.
package final class CodingPolicy {
    /// How a tree of values becomes text, and is read from it.
    package let dialect: URLEncodedDialect
    /// Whether text is read by the names that this policy writes, and not as the dialect's system reads it: closures name
    /// members and elements, and an array of objects is refused if their ends aren't known.
    let readsOwnNames: Bool
    /// The text for no value; `nil` leaves out its name too.
    let null: (() throws -> String?)?
    /// ``null``, if it can be written.
    let nullText: String?
    /// Changes a whole name before it is escaped; `nil` for no change.
    let rename: ((String) -> String)?
    /// Whether values are written that couldn't be read back: keys with a number are indexes, and later values replace
    /// earlier ones.
    let isLossy: Bool
    /// The types that have a form of their own; `nil` for none.
    let foreign: (any ForeignTypes)?
    /// How dates are written. Types with a text for forms are written as that text. `nil` if all of them code themselves.
    let dates: FormDateFormat?
    let acceptsNonFiniteNumbers: Bool
    /// Whether an empty text is read as `nil` for optionals of all types but `String`, as empty controls are.
    let readsEmptyAsNil: Bool
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// The most levels of a value, if only these matter: nothing is written. `nil` for writing it.
    let nesting: Int?
    /// The name of a key, by the path to it; `nil` for the key itself. A dictionary's keys aren't converted.
    let convertKey: (([any CodingKey]) -> String)?
    /// The key that a converted name is read as; `nil` if that isn't known.
    let convertsBack: ((String) -> String)?
    /// Why a key can't be a name; `nil` if it can. The second argument is whether it is the name's first key.
    let keyProblem: ((String, Bool) -> String?)?

    /// Whether members with any numbers are an array, in the order of their numbers.
    let hasSparseIndices: Bool
    /// How many arrays a single text may be: an array of one is an array of an array of one.
    let lists: Int
    /// Whether a root that isn't an object is a mistake of the program, whatever the text is.
    let needsObject: Bool
    /// The key of a name, by the path to its object; `nil` for the name itself. A dictionary's keys are never converted.
    let key: ((_ name: String, _ path: [any CodingKey]) -> String)?

    /// Changes what errors say. It is called for an error: strings aren't copied for each form.
    private let wording: (inout CodingWords) -> Void

    package init(
        _ dialect: URLEncodedDialect = CodingPolicy.swift, readsOwnNames: Bool = true,
        null: (() throws -> String?)? = nil, rename: ((String) -> String)? = nil, isLossy: Bool = false,
        foreign: (any ForeignTypes)? = nil, dates: FormDateFormat? = nil, acceptsNonFiniteNumbers: Bool = false,
        readsEmptyAsNil: Bool = false, userInfo: [CodingUserInfoKey: any Sendable] = [:],
        nesting: Int? = nil, convertKey: (([any CodingKey]) -> String)? = nil,
        convertsBack: ((String) -> String)? = nil, keyProblem: ((String, Bool) -> String?)? = nil,
        hasSparseIndices: Bool = true, lists: Int = 1, needsObject: Bool = false,
        key: ((_ name: String, _ path: [any CodingKey]) -> String)? = nil,
        wording: @escaping (inout CodingWords) -> Void = { _ in }
    ) {
        (self.dialect, self.readsOwnNames, self.null, self.nullText) = (dialect, readsOwnNames, null, try? null?())
        (self.rename, self.isLossy, self.foreign, self.dates) = (rename, isLossy, foreign, dates)
        (self.acceptsNonFiniteNumbers, self.readsEmptyAsNil) = (acceptsNonFiniteNumbers, readsEmptyAsNil)
        (self.userInfo, self.nesting) = (userInfo, nesting)
        (self.convertKey, self.convertsBack, self.keyProblem) = (convertKey, convertsBack, keyProblem)
        (self.hasSparseIndices, self.lists, self.needsObject) = (hasSparseIndices, lists, needsObject)
        (self.key, self.wording) = (key, wording)
    }

    /// Swift's own values, and Alamofire's characters.
    package static let swift = URLEncodedDialect(
        flattening: Flattening(bools: .numeric, doubles: .swift, order: .byText, depth: .max), names: .alamofire,
        values: .alamofire, parsing: URLEncodedParsing(readsPlusAsSpace: false, invalidText: .refused),
        expansion: .brackets)

    /// What errors say.
    var words: CodingWords {
        var words = CodingWords()
        self.wording(&words)
        return words
    }

    /// Whether keys may have other names in the text.
    var changesNames: Bool {
        if self.readsOwnNames, case .custom = self.dialect.flattening.arrays { return true }
        return self.rename != nil
    }

    /// The end of advice on a value that is refused.
    func remedy(_ what: String) -> String { self.words.wrapper.map { ", or send \(what) as a \($0)" } ?? "" }

    func refusal(_ value: Any, _ path: [any CodingKey], _ why: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: "\(why)\(self.words.advice)."))
    }

    /// The text of a single value; `nil` for one that isn't text.
    func text(of leaf: EncodedLeaf) -> String? {
        if case .value(let value) = leaf { self.text(of: value) } else { nil }
    }

    /// The text of a single value.
    package func text(of value: ParameterValue) -> String? {
        if case .text(let text)? = try? self.dialect.flattening.leaf(value, "") { text } else { nil }
    }
}

// MARK: Text

extension CodingPolicy {
    /// Encodes a value whose root is an object, as text in UTF-8.
    /// - Throws: ``InvalidRoot``; `EncodingError` for values that would be lost; errors of the value's type;
    ///   ``FormworkError/Code/contentNotEncodable`` for text that the dialect can't represent.
    package func encode(_ value: some Encodable) throws -> [UInt8] {
        let arena = EncodingArena(self)
        try arena.encode(value)
        var sink = PairSink(self.dialect, rename: self.rename)
        do throws(FormworkError) {
            try Flattener(rules: self.dialect.flattening).flatten(arena.root.parameters, into: &sink)
        } catch {
            throw error.code == .contentNotEncodable ? error : self.refusal(value, [], error.message)
        }
        guard self.namesMayBeLost(arena.hasContainersInArrays) else { return sink.text }
        do {
            try arena.check(self.decoder(of: sink.text, .unlimited))
        } catch {
            guard let (path, why) = DecodingError.place(error) else { throw error }
            var options = self.rename == nil ? [] : [self.words.nameOption]
            if options.isEmpty || arena.hasContainersInArrays { options.insert(self.words.arrayOption, at: 0) }
            let option = options.joined(separator: " or ")
            let loss = self.words.loss ?? (why.contains("Encoding") ? "" : "\(option) loses this: ")
            throw self.refusal(value, path, loss + why)
        }
        return sink.text
    }

    /// Whether names may not be read back as the keys they were made from. A closure for member names can't be
    /// reversed; that is the caller's choice.
    private func namesMayBeLost(_ hasContainersInArrays: Bool) -> Bool {
        guard self.readsOwnNames else { return true }
        if case .custom = self.dialect.flattening.members { return false }
        if self.isLossy { return false }
        if self.rename != nil { return true }
        return switch self.dialect.flattening.arrays {
        case .indexed: false
        case .brackets, .repeated: hasContainersInArrays
        case .custom: true
        }
    }

    /// Encodes a value as the fields of a form, each with its name.
    /// - Throws: What ``encode(_:)`` throws.
    package func encodeFields(of value: some Encodable, _ append: (String, EncodedLeaf) -> Void) throws {
        let arena = EncodingArena(self)
        try arena.encode(value)
        try arena.forEachLeaf(append)
    }

    /// Refuses a value that has more levels than ``nesting``. Other errors are left to the encoder that comes after.
    package func checkNesting(of value: some Encodable) throws(EncodingError) {
        let arena = EncodingArena(self)
        do { try arena.encode(value) } catch let error as EncodingError where arena.isTooDeep { throw error } catch {}
    }

    /// Decodes a value whose root is an object from text in UTF-8.
    /// - Throws: `DecodingError`, which names the option that lost information.
    package func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        let root: ValueDecoder
        do {
            root = try self.decoder(of: text, self.dialect.parsing.limits)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\(error.message)", underlyingError: error))
        }
        return try root.read(type)
    }

    /// A decoder of text whose root is an object.
    /// - Throws: What ``URLEncodedDialect/decode(_:)-(String)`` throws.
    func decoder(of text: [UInt8], _ limits: URLEncodedLimits) throws(FormworkError) -> ValueDecoder {
        var rules = self.dialect.parsing
        rules.limits = limits
        let pairs = try URLEncodedPairs(text, rules: rules)
        let missing = self.dialect.missing.string
        let texts = pairs.map { $0.value ?? missing }
        let names = pairs.lazy.map { Array($0.nameBytes) }
        let tree = try self.dialect.expansion.tree(names, limits, marksUnclear: self.readsOwnNames) { texts[$0] == nil }
        if pairs.contains(where: { String(validating: $0.nameBytes, as: UTF8.self) == nil }),
            let name = tree.repeatedName
        {
            throw FormworkError(.malformedBody, "\"\(name)\" is two names that aren't UTF-8")
        }
        return ValueDecoder(tree, TextLeaves(texts, self, self.readsOwnNames ? ChangedNames(self, tree) : nil))
    }
}

extension DecodingError {
    /// The place of an error, and the reason; `nil` for one that says nothing of the text.
    static func place(_ error: any Error) -> (path: [any CodingKey], why: String)? {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context):
            // A sentence around the reason has its own end.
            (context.codingPath, String(context.debugDescription.reversed().drop { $0 == "." }.reversed()))
        case DecodingError.keyNotFound(let key, let context): (context.codingPath + [key], "the name isn't in the text")
        case let error as FormworkError: ([], error.message)
        default: nil
        }
    }
}

/// What errors say.
package struct CodingWords {
    /// What an object needs.
    package var objectNames = "names for its members"
    /// The type that has the options for dates, numbers, repeated names and indices; empty for none.
    package var owner = ""
    /// The option that limits the levels of a name.
    package var depthOption = "URLEncodedLimits.depth"
    /// The option that names an array's elements, and its value that tells each one.
    var arrayOption = "arrayEncoding"
    var indexedOption = "indexInBrackets"
    /// The option that changes or splits names, and what it splits them at.
    var nameOption = "keyEncoding"
    var splittingOption = "keyPathEncoding's dot"
    /// The beginning of an error for a value that would be read as another one; `nil` for one with the options.
    var loss: String?
    /// What writes a value that is refused, in brackets; empty for nothing.
    package var advice = ""
    /// The wrapper that writes any value in a format of its own; `nil` for none.
    package var wrapper: String?

    /// An option, in brackets after a blank; empty for none.
    func option(_ name: String) -> String { self.owner.isEmpty ? "" : " (\(self.owner).\(name))" }
}

/// Types that have a form of their own, such as Foundation's: by themselves they would be objects or numbers.
package protocol ForeignTypes {
    /// A value; `nil` if its type encodes itself.
    /// - Throws: ``Unwritable``, `EncodingError` with the path inside the value, or the error of a caller's closure.
    func leaf<Value: Encodable>(of value: Value) throws -> EncodedLeaf?
    /// A value; `nil` if its type decodes itself.
    func value<Value: Decodable>(_ type: Value.Type, from decoder: ValueDecoder) throws -> Value?
}

extension ForeignTypes {
    package func leaf<Value: Encodable>(of value: Value) -> EncodedLeaf? { nil }
    package func value<Value: Decodable>(_ type: Value.Type, from decoder: ValueDecoder) -> Value? { nil }
}

/// A value that isn't a container.
package enum EncodedLeaf {
    case value(ParameterValue)
    /// Something that isn't text, such as a file.
    case attachment(AnyObject)
    /// Nothing is written, as for `nil`.
    case nothing
}

/// A value whose text couldn't be read back.
package struct Unwritable: Error {
    var reason: String
    /// The text that is written if values may be lost.
    var text: String

    package init(_ reason: String, text: String = "") { (self.reason, self.text) = (reason, text) }
}

/// A root that isn't an object.
package enum InvalidRoot: String, Error {
    case array = "an array"
    case singleValue = "a single value"
}

/// The key of an array's element, or a member's whose type isn't known.
package struct IndexKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ index: Int) { (self.stringValue, self.intValue) = ("\(index)", index) }
    package init(named name: String) { (self.stringValue, self.intValue) = (name, nil) }
    package init?(stringValue: String) { return nil }
    package init?(intValue: Int) { self.init(intValue) }
}
