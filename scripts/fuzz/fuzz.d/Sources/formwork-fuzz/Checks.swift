@testable import Formwork
import Glibc

/// Stops the run unless `condition` is true, so that libFuzzer keeps the input.
func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError("property broken: \(message())") }
}

/// Text for a message, with everything but printable ASCII escaped.
func shown(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { $0 += Unicode.Scalar($1).escaped(asASCII: true) }
}

func writeFile(named name: String, _ bytes: [UInt8]) {
    let file = fopen(name, "w")
    check(file != nil && fwrite(bytes, 1, bytes.count, file) == bytes.count && fclose(file) == 0, "can't write \(name)")
}

/// Numbers derived from an input, so that a run can be repeated.
struct Dice {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// FNV-1a.
    init(_ bytes: [UInt8]) { for byte in bytes { self.state = (self.state ^ UInt64(byte)) &* 0x100_0000_01B3 } }

    /// A number from 0 to `count` - 1.
    mutating func roll(_ count: Int) -> Int {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((self.state >> 33) % UInt64(count))
    }
}

/// Reads a body to its end in pieces of any size, and checks the properties of every body.
func readWhole(_ plan: BodyPlan, _ dice: inout Dice) throws(FormworkError) -> [UInt8] {
    let reader = plan.makeReader()
    let isLong = plan.contentLength ?? 0 > 1 << 16
    let most = isLong ? 1 << 17 : [1, 7, 100, 5000, 1 << 17][dice.roll(5)]
    var body: [UInt8] = []
    while true {
        let bytes = try reader.read(upTo: 1 + dice.roll(most))
        guard !bytes.isEmpty else { break }
        body += bytes
        check(reader.position == Int64(body.count), "the position is \(reader.position) after \(body.count) bytes")
    }
    if let length = plan.contentLength {
        check(length == Int64(body.count), "contentLength is \(length), but \(body.count) bytes were read")
    }
    return body
}

/// Checks that a reader that begins at or seeks to any offset returns the same bytes as the whole `body`.
func checkSeeking(_ plan: BodyPlan, _ body: [UInt8], _ dice: inout Dice) throws(FormworkError) {
    guard plan.isReplayable, plan.contentLength != nil else { return }
    let reader = try plan.makeReader(from: Int64(dice.roll(body.count + 1)))
    for _ in 0..<2 {
        let count = 1 + dice.roll(300)
        let start = Int(reader.position)
        let bytes = try reader.read(upTo: count)
        // A stream may return less than it was asked for.
        check(body[start...].starts(with: bytes), "other bytes when read from offset \(start)")
        check(!bytes.isEmpty || start == body.count, "no bytes at offset \(start) of \(body.count)")
        try reader.seek(to: Int64(dice.roll(body.count + 1)))
    }
    let start = Int(reader.position)
    check(
        try reader.collect(upTo: 1 << 24).elementsEqual(body[start...]), "other bytes from offset \(start) to the end")
}

// MARK: - Bodies taken apart, by code that shares nothing with the package

struct ParsedPart {
    /// Header lines without their line ends.
    var lines: [ArraySlice<UInt8>]
    var content: ArraySlice<UInt8>

    /// The value of the first field of that name.
    func value(of name: String) -> ArraySlice<UInt8>? {
        for line in self.lines {
            guard let colon = line.firstIndex(of: 0x3A), lowercased(line[..<colon]) == lowercased(Array(name.utf8)[...])
            else { continue }
            return line[(colon + 1)...].drop { $0 == 0x20 }
        }
        return nil
    }
}

func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 } }

/// The first position of `needle` in `bytes`.
func position(of needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = needle.first else { return bytes.startIndex }
    var from = bytes.startIndex
    while let at = bytes[from...].firstIndex(of: first) {
        if bytes[at...].starts(with: needle) { return at }
        from = at + 1
    }
    return nil
}

/// The parts of a body, whose content must not hold the boundary; every header line is checked.
func parse(_ body: ArraySlice<UInt8>, boundary: String) -> [ParsedPart] {
    let opening = Array("--\(boundary)".utf8)
    check(body.starts(with: opening), "the body doesn't begin with its boundary")
    let delimiter = [0x0D, 0x0A] + opening
    var parts: [ParsedPart] = []
    var rest = body.dropFirst(opening.count)
    while !rest.elementsEqual(Array("--\r\n".utf8)) {
        check(rest.starts(with: [0x0D, 0x0A]), "no line end behind a delimiter, but \(shown(rest.prefix(20)))")
        rest = rest.dropFirst(2)
        var lines: [ArraySlice<UInt8>] = []
        while !rest.starts(with: [0x0D, 0x0A]) {
            guard let end = position(of: [0x0D, 0x0A], in: rest) else { return fatal("a header section doesn't end") }
            lines.append(rest[..<end])
            checkHeaderLine(rest[..<end])
            rest = rest[(end + 2)...]
        }
        rest = rest.dropFirst(2)
        guard let end = position(of: delimiter, in: rest) else { return fatal("a part doesn't end") }
        parts.append(ParsedPart(lines: lines, content: rest[..<end]))
        rest = rest[(end + delimiter.count)...]
    }
    return parts
}

private func fatal<Result>(_ message: String) -> Result { fatalError("property broken: \(message)") }

/// `Name: value`, where the value has no controls but TAB; names and filenames may hold all but CR, LF and NUL.
func checkHeaderLine(_ line: ArraySlice<UInt8>) {
    let name = line.prefix { $0 != 0x3A }
    check(!name.isEmpty && name.allSatisfy(isToken), "no header name: \(shown(line))")
    let value = line[name.endIndex...]
    check(value.starts(with: [0x3A, 0x20]), "no colon and blank: \(shown(line))")
    let isDisposition = lowercased(name).elementsEqual("content-disposition".utf8)
    let isAllowed = { (byte: UInt8) in
        isDisposition ? byte != 0x00 && byte != 0x0A && byte != 0x0D : byte >= 0x20 && byte != 0x7F || byte == 0x09
    }
    check(value.allSatisfy(isAllowed), "a control character in \(shown(line))")
}

private let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
func isToken(_ byte: UInt8) -> Bool { tokens.contains(byte) }

/// The values of a `Content-Type`'s boundary parameters, as a receiver reads them that knows quotes; `nil` when quotes
/// don't end.
func boundaries(in contentType: String) -> [String]? {
    let text = Array(contentType.utf8)
    var values: [String] = []
    var at = text.firstIndex(of: 0x3B) ?? text.count
    while at < text.count {
        at += 1
        while at < text.count, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
        let start = at
        while at < text.count, text[at] != 0x3D, text[at] != 0x3B { at += 1 }
        let name = lowercased(text[start..<at])
        var value: [UInt8]?
        if at < text.count, text[at] == 0x3D {
            value = []
            at += 1
            var isQuoted = false
            while at < text.count, isQuoted || text[at] != 0x3B {
                if text[at] == 0x22 {
                    isQuoted.toggle()
                } else {
                    if isQuoted, text[at] == 0x5C, at + 1 < text.count { at += 1 }
                    value?.append(text[at])
                }
                at += 1
            }
            if isQuoted { return nil }
        }
        if let value, name.elementsEqual("boundary".utf8) { values.append(String(decoding: value, as: UTF8.self)) }
    }
    return values
}
