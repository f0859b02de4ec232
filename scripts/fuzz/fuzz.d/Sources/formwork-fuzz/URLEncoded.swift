@testable import FormworkURLEncoded

/// Url-encoded text, read in every way and written again.
///
/// The first byte chooses rules, the second limits and dialect; the rest is the text.
func fuzzURLEncoded(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    var dice = Dice(input)
    let text = Array(input[2...])
    let repairs = URLEncodedParsing.Repair.allCases
    var rules = URLEncodedParsing(
        readsPlusAsSpace: input[0] & 1 == 0, invalidEscapes: repairs[Int(input[0] >> 1) % 3],
        invalidText: repairs[Int(input[0] >> 3) % 3])
    if input[1] & 1 == 1 {
        rules.limits = URLEncodedLimits(
            bytes: 1 + dice.roll(200), pairs: dice.roll(20), pairBytes: 1 + dice.roll(40), depth: dice.roll(6))
    }
    checkCuts(text, rules, &dice)
    checkDuplicates(text, rules)
    checkRewriting(text, &dice)
    checkEscaping(text, encoders[dice.roll(encoders.count)])
    let depth = input[1] & 1 == 1 ? rules.limits.depth : dice.roll(100)
    checkExpansion(text, NameExpansion.allCases[dice.roll(NameExpansion.allCases.count)], depth)
    let value = tree(of: text, depth: 8, &dice)
    checkFlattening(value, dialects[dice.roll(dialects.count)])
}

/// One dialect for each way to escape or sort.
private let versions: [AFNetworkingVersion] = ["0.6", "1.0", "1.0.1", "1.2", "1.3", "1.3.3", "2.2", "2.6"]

private let encoders: [PercentEncoder] =
    [.rfc3986, .form, .raw, .php, .ruby] + dialects.flatMap { [$0.names, $0.values] }

private let dialects: [URLEncodedDialect] =
    [.whatwg, .alamofire, .facebook, .recipes, .recipesPlus, .php, .phpRFC3986, .rails]
    + versions.map { .afnetworking($0) }

private let loose = URLEncodedParsing(limits: .unlimited)

private func attempt<Result>(_ body: () throws(FormworkError) -> Result) -> Swift.Result<Result, FormworkError> {
    do throws(FormworkError) {
        return .success(try body())
    } catch {
        check(!error.description.unicodeScalars.contains { $0.value < 0x20 }, "an error of several lines")
        return .failure(error)
    }
}

/// A parser that is given pieces returns the same pairs as for the whole text, or the same error.
private func checkCuts(_ text: [UInt8], _ rules: URLEncodedParsing, _ dice: inout Dice) {
    let whole = attempt { () throws(FormworkError) in try URLEncodedPairs(text, rules: rules).pairs }
    let most = [1, 3, text.count + 1][dice.roll(3)]
    var (parser, pairs) = (URLEncodedParser(rules: rules), [URLEncodedPair]())
    var longest = 0
    let pieces = attempt { () throws(FormworkError) in
        var rest = text[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + dice.roll(most))
            rest = rest.dropFirst(piece.count)
            parser.append(piece)
            longest = max(longest, piece.count)
            while let pair = try parser.next() { pairs.append(pair) }
            check(parser.retainedBytes <= min(rules.limits.pairBytes, text.count), "more than a pair is kept")
        }
        parser.finish()
        while let pair = try parser.next() { pairs.append(pair) }
    }
    switch (whole, pieces) {
    case (.success(let whole), .success): check(pairs == whole, "cuts make other pairs: \(pairs), \(whole)")
    case (.failure(let one), .failure(let other)):
        check(one.code == other.code || text.count > rules.limits.bytes, "\(one) becomes \(other)")
        let again = attempt { () throws(FormworkError) in try parser.next() }
        guard case .failure = again else { return check(false, "an error isn't thrown again") }
    default: check(false, "\(whole) becomes \(pieces)")
    }
}

private func checkDuplicates(_ text: [UInt8], _ rules: URLEncodedParsing) {
    var rules = rules
    for duplicates in [Flattening.Duplicates.last, .first, .refuse] {
        rules.duplicates = duplicates
        guard
            case .success(let pairs) = attempt({ () throws(FormworkError) in try URLEncodedPairs(text, rules: rules) })
        else { continue }
        check(Set(pairs.map { Array($0.nameBytes) }).count == pairs.count, "a name twice with \(duplicates)")
    }
}

/// Written pairs are read back unchanged, and written the same again.
private func checkRewriting(_ text: [UInt8], _ dice: inout Dice) {
    guard case .success(let first) = attempt({ () throws(FormworkError) in try URLEncodedPairs(text, rules: loose) })
    else { return check(false, "text is refused without limits") }
    // An empty pair without `=` is skipped.
    let pairs = first.pairs.filter { !$0.name.isEmpty || $0.value != nil }
    check(pairs.count == first.count, "an empty piece is a pair")
    let encoder = [PercentEncoder.form, .rfc3986, .php, .ruby, URLEncodedDialect.alamofire.values][dice.roll(5)]
    let dialect = URLEncodedDialect(names: encoder, values: encoder)
    let written = dialect.encode(pairs)
    let read = attempt { () throws(FormworkError) in try URLEncodedPairs(written, rules: loose).pairs }
    guard case .success(let again) = read else { return check(false, "what was written is refused") }
    check(again.elementsEqual(pairs, by: areSame), "\(again) instead of \(pairs)")
    check(dialect.encode(again) == written, "written otherwise the second time")
}

/// Byte by byte: strings are equal in several spellings.
private func areSame(_ one: URLEncodedPair, _ other: URLEncodedPair) -> Bool {
    one.name.utf8.elementsEqual(other.name.utf8)
        && one.value.map { Array($0.utf8) } == other.value.map { Array($0.utf8) }
}

private func checkEscaping(_ text: [UInt8], _ encoder: PercentEncoder) {
    let escaped = encoder.encode(text)
    let isPlus = encoder.encode(" ") == "+"
    var plain: [UInt8] = []
    var rest = escaped[...]
    while let byte = rest.popFirst() {
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        if byte == 0x25, let value = UInt8(digits, radix: 16), encoder.encode("%") != "%" {
            check(digits == digits.uppercased(), "\(digits) in lower case")
            plain.append(value)
            rest = rest.dropFirst(2)
        } else {
            check(byte < 0x80, "a byte above 0x7F stands")
            plain.append(byte == 0x2B && isPlus ? 0x20 : byte)
        }
    }
    let leavesPercent = encoder.encode("%") == "%"
    check(leavesPercent || plain == text, "\(shown(escaped)) isn't \(shown(text))")
    check(encoder.encode(String(decoding: text, as: UTF8.self)).utf8.allSatisfy { $0 < 0x80 }, "text above 0x7F")
    // The same on both ways; bytes have to be text for that.
    if let string = String(validating: text, as: UTF8.self) {
        check(encoder.encode(string).utf8.elementsEqual(escaped), "text is escaped otherwise than its bytes")
    }
    // Text without special characters is also read.
    let hasSigns = leavesPercent || encoder.encode("&=") != "%26%3D" || encoder.encode("+") != "%2B"
    guard !hasSigns, !text.isEmpty else { return }
    let pairs = attempt { () throws(FormworkError) in try URLEncodedPairs(escaped, rules: loose) }
    guard case .success(let pairs) = pairs else { return check(false, "escaped text is refused") }
    check(pairs.count == 1 && pairs[0].nameBytes.elementsEqual(text), "escaped text is read otherwise")
}

private func checkExpansion(_ text: [UInt8], _ expansion: NameExpansion, _ depth: Int) {
    guard case .success(let pairs) = attempt({ () throws(FormworkError) in try URLEncodedPairs(text, rules: loose) })
    else { return }
    let limits = URLEncodedLimits(depth: depth)
    let result = attempt { () throws(FormworkError) in
        try expansion.expand(pairs.lazy.map(\.pair), missing: .null, limits: limits)
    }
    switch result {
    case .success(let value):
        var leaves = 0
        let found = measure(value, &leaves)
        // Repeated names also make an array.
        let levels =
            switch expansion {
            case .flat: 1
            case .php: depth + 1
            case .brackets, .dots: depth + 2
            // A level may be an array in an object, and its last element an array.
            case .rack: 2 * depth + 3
            }
        check(found <= levels, "\(found) levels where \(depth) are allowed")
        let mayDrop = expansion == .php || expansion == .rack
        check(mayDrop ? leaves <= pairs.count : leaves == pairs.count, "\(leaves) values of \(pairs.count)")
    case .failure(let error):
        check(expansion != .flat && expansion != .php || error.code == .limitExceeded && expansion == .php, "\(error)")
        check(error.code == .limitExceeded || error.code == .malformedBody, "\(error)")
        check(error.code != .limitExceeded || error.message.contains("limits.depth"), "\(error) doesn't name the limit")
    }
}

private func measure(_ value: ParameterValue, _ leaves: inout Int) -> Int {
    switch value {
    case .object(let members): return 1 + members.reduce(0) { max($0, measure($1.value, &leaves)) }
    case .array(let elements), .set(let elements): return 1 + elements.reduce(0) { max($0, measure($1, &leaves)) }
    default:
        leaves += 1
        return 0
    }
}

/// A tree that follows from the text: names and values are its pieces.
private func tree(of text: [UInt8], depth: Int, _ dice: inout Dice) -> ParameterValue {
    var pieces = text.split(separator: 0x26, maxSplits: 40, omittingEmptySubsequences: false)[...]
    func node(_ depth: Int, isRoot: Bool = false) -> ParameterValue {
        let kind = isRoot ? 0 : dice.roll(depth > 0 ? 12 : 8)
        let piece = pieces.popFirst() ?? []
        switch kind {
        case _ where isRoot || kind >= 10:
            return .object(
                (0..<dice.roll(5)).map { _ in
                    .init(String(decoding: pieces.popFirst() ?? [], as: UTF8.self), node(depth - 1))
                })
        case 8: return .array((0..<dice.roll(4)).map { _ in node(depth - 1) })
        case 9: return .set((0..<dice.roll(4)).map { _ in node(depth - 1) })
        case 0: return .null
        case 1: return .bool(piece.isEmpty)
        case 2: return .integer(piece.reduce(0) { $0 &* 257 &+ Int128($1) })
        case 3: return .double(Double(bitPattern: piece.reduce(0) { $0 &* 257 &+ UInt64($1) }))
        case 4: return .bytes(Array(piece))
        default: return .text(String(decoding: piece, as: UTF8.self))
        }
    }
    return node(depth, isRoot: true)
}

/// The written text is read back as the requested pairs, with escaped names.
private func checkFlattening(_ value: ParameterValue, _ dialect: URLEncodedDialect) {
    let pairs = attempt { () throws(FormworkError) in try dialect.pairs(of: value) }
    let text = attempt { () throws(FormworkError) in try dialect.encode(value) }
    guard case (.success(let pairs), .success(let text)) = (pairs, text) else {
        guard case (.failure(let one), .failure(let other)) = (pairs, text) else {
            return check(false, "\(pairs) but \(text)")
        }
        return check(one.code == .invalidArgument && other.code == .invalidArgument, "\(one), \(other)")
    }
    let hasSigns = dialect.names.encode("&=%+") != "%26%3D%25%2B" || dialect.values.encode("&%+") != "%26%25%2B"
    guard !hasSigns else { return }
    let read = attempt { () throws(FormworkError) in try URLEncodedPairs(text, rules: loose).pairs }
    guard case .success(let read) = read else { return check(false, "\(text) is refused") }
    // Null without a name is an empty piece, as AFNetworking writes it, which every reader skips.
    let seen = pairs.filter { !$0.name.isEmpty || $0.value != nil }
    check(read.elementsEqual(seen, by: areSame), "\(read) instead of \(pairs) in \(text)")
}
