@testable import Formwork
@testable import FormworkCore
import Foundation

/// What a description from a stranger comes to.
///
/// Input that begins with `{` is JSON. Other input chooses, byte by byte, what a description is made of: mostly what
/// could be, now and then a number or a text that couldn't.
func fuzzDescriptions(_ input: [UInt8]) {
    var dice = Dice(input)
    var text = String(decoding: input, as: UTF8.self)
    if input.first != 0x7B {
        var writer = DescriptionWriter(input)
        text = writer.description(depth: 0)
    }
    guard let description = try? JSONDecoder().decode(PlanDescription.self, from: Data(text.utf8)),
        // Planning reads all of it, which is meant, and takes years.
        !measuresTooMuch(description.parts)
    else { return }
    let plan: BodyPlan
    do throws(FormworkError) { plan = try description.form.plan() } catch {
        check(!error.description.unicodeScalars.contains { $0.value < 0x20 }, "an error of several lines")
        return
    }
    checkHeaderLine(Array("Content-Type: \(plan.contentType)".utf8)[...])
    if description.framing.quoting == .whenNeeded {
        let found = boundaries(in: plan.contentType) ?? []
        check(
            found == [description.framing.boundary.text], "a receiver reads \(found) in \(shown(plan.contentType.utf8))"
        )
    }
    _ = plan.layout.count
    _ = try? plan.curlArguments()
    do throws(FormworkError) {
        guard let length = plan.contentLength, length < 1 << 16 else { return try checkPlaces(of: plan, &dice) }
        let body = try readWhole(plan, &dice)
        try checkSeeking(plan, body, &dice)
        try checkFraming(of: plan, body, description)
        try checkAgain(plan, body)
    } catch {
        // 7bit reports bytes that it can't carry when it reads them.
        check(error.code == .contentNotEncodable, "\(error)")
    }
}

private func measuresTooMuch(_ parts: [PlanDescription.Part]) -> Bool {
    parts.contains { part in
        part.content.contains { content in
            switch content {
            case .synthetic(let bytes): part.header.transferEncoding != nil && bytes.count > 1 << 16
            // Files are small here, and a multipart may hold anything.
            case .multipart(_, let parts): part.header.transferEncoding != nil || measuresTooMuch(parts)
            case .text, .bytes, .file: false
            // A case that this target doesn't make.
            @unknown default: false
            }
        }
    }
}

/// Reads a little at places of a body that is too long, or has no length.
private func checkPlaces(of plan: BodyPlan, _ dice: inout Dice) throws(FormworkError) {
    let length = plan.contentLength ?? 0
    for place in [0, length / 2, max(0, length - 100), length] {
        let reader = try plan.makeReader(from: place)
        let bytes = try reader.read(upTo: 1 + dice.roll(300))
        check(plan.contentLength == nil || !bytes.isEmpty || place == length, "no bytes at \(place) of \(length)")
    }
}

/// A receiver finds the described parts, with one header line per field, or a reader with checksFraming reports an error.
private func checkFraming(
    of plan: BodyPlan, _ body: [UInt8], _ description: PlanDescription
) throws(FormworkError) {
    do throws(FormworkError) {
        let reader = try plan.makeReader(options: ReaderOptions(checksFraming: true))
        let checked = try reader.collect(upTo: 1 << 17)
        check(checked == body, "other bytes where the framing is checked")
    } catch {
        guard error.code == .framingBroken else { throw error }
        return
    }
    guard description.framing.ending == .closeDelimiter, !body.isEmpty else { return }
    let parts = parse(body[...], boundary: description.framing.boundary.text)
    check(parts.count == description.parts.count, "\(parts.count) parts from \(description.parts.count)")
    for (part, described) in zip(parts, description.parts) {
        let header = described.header
        let count =
            (header.disposition == nil ? 0 : 1) + (header.contentType == nil ? 0 : 1)
            + (header.transferEncoding == nil ? 0 : 1) + header.fields.count
        // A multipart's type may be written from its framing.
        let isMultipart = described.content.contains { if case .multipart = $0 { true } else { false } }
        check(
            part.lines.count == count || isMultipart && part.lines.count == count + 1,
            "\(part.lines.map(shown)) has not \(count) lines")
    }
}

/// A decoded description is described again, and gives the same bytes.
private func checkAgain(_ plan: BodyPlan, _ body: [UInt8]) throws(FormworkError) {
    let again: PlanDescription
    do {
        again = try JSONDecoder().decode(PlanDescription.self, from: JSONEncoder().encode(plan.describe()))
    } catch FormworkError.Code.notReplayable {
        return
    } catch {
        return check(false, "what is described can't be read: \(error)")
    }
    let same = try again.form.plan().makeReader().collect(upTo: 1 << 17)
    let place = zip(same, body).prefix { $0 == $1 }.count
    check(
        same == body,
        "described again it is \(shown(same.dropFirst(max(0, place - 40)).prefix(99))) and not "
            + shown(body.dropFirst(max(0, place - 40)).prefix(99)))
}

/// Writes a description chosen by the bytes of an input.
private struct DescriptionWriter {
    private var bytes: ArraySlice<UInt8>

    init(_ input: [UInt8]) { self.bytes = input[...] }

    private mutating func next(_ count: Int) -> Int { Int(self.bytes.popFirst() ?? 0) % count }

    private mutating func pick(_ values: [String]) -> String { values[self.next(values.count)] }

    private mutating func number(_ usual: [String]) -> String {
        self.pick(
            usual + usual + usual + [
                "-1", "0", "1", "4294967296", "4611686018427387904", "9223372036854775800", "9223372036854775807",
                "-9223372036854775808", "18446744073709551615", "1e3", "0.5", "null",
            ])
    }

    private mutating func text() -> String {
        self.pick([
            #""a""#, #""b""#, #""""#, #""a\"b""#, #""a\r\nX: y""#, #""\n""#, #""\u0000""#, #""\\""#, #""é\u202e""#,
            #""--b""#,
            #""\r\n--b\r\n\r\n""#, #""a\u0001""#, #""a;b=c""#, #""x\t""#, #"" ""#, "null", "7",
        ])
    }

    mutating func description(depth: Int) -> String {
        "{\"framing\":\(self.framing(depth)),\"parts\":\(self.parts(depth))}"
    }

    private mutating func framing(_ depth: Int) -> String {
        let boundary = self.pick(["\"b\(depth)x\"", "\"b\(depth)x\"", "\"b\(depth) x\"", "\"b\"", self.text()])
        var text = "{\"boundary\":\(boundary)"
        text += ",\"subtype\":" + self.pick([#""form-data""#, #""mixed""#, #""form-data""#, self.text()])
        text += ",\"parameters\":"
        text += self.pick([#""""#, #""""#, #""type=\"a/b\"""#, #""boundary=z""#, #""x=\"y""#, self.text()])
        text += ",\"escaping\":"
        text += self.pick(
            [#""whatwg""#, #""whatwg""#, #""backslash""#, #""raw""#, #""backslashUnchecked""#, #""refuse""#])
        text += ",\"ending\":" + self.pick([#""closeDelimiter""#, #""closeDelimiter""#, #""delimiter""#])
        text += ",\"emptyForm\":" + self.pick([#""closeDelimiter""#, #""nothing""#])
        text += ",\"quoting\":" + self.pick([#""whenNeeded""#, #""whenNeeded""#, #""never""#])
        if self.next(4) == 1 {
            text += ",\"verbatimType\":"
            text += self.pick([#""text/plain""#, #""a/b; c=d""#, #""a/b; boundary=q""#, #""a/b\r\nX: y""#, self.text()])
        }
        return text + "}"
    }

    private mutating func parts(_ depth: Int) -> String {
        let count = self.bytes.isEmpty ? 0 : self.next(4)
        return "[" + (0..<count).map { _ in self.part(depth) }.joined(separator: ",") + "]"
    }

    private mutating func part(_ depth: Int) -> String {
        var header = "{\"fields\":["
        for index in 0..<self.next(3) {
            if index > 0 { header += "," }
            let name = self.pick([#""X-A""#, #""X-B""#, #""Content-Type""#, self.text()])
            header += "{\"name\":\(name),\"value\":\(self.pick([#""v""#, self.text()]))}"
        }
        header += "]"
        if self.next(6) != 1 {
            header += ",\"disposition\":" + self.pick([#""form-data""#, #""attachment""#, #""inline""#])
        }
        if self.next(6) != 1 { header += ",\"name\":" + self.pick([#""n""#, #""n""#, self.text()]) }
        if self.next(3) == 1 { header += ",\"filename\":" + self.pick([#""f""#, self.text()]) }
        let type = self.next(2) == 1 ? self.pick([#""text/plain""#, #""a/b; c=d""#, self.text()]) : nil
        if let type { header += ",\"contentType\":\(type)" }
        if self.next(4) == 1 {
            let columns = self.number(["76", "8"])
            header += ",\"transferEncoding\":"
            header += self.pick([
                "{\"base64\":{\"columns\":\(columns)}}", "{\"base64\":{}}",
                "{\"quotedPrintable\":{\"isMeasured\":true}}",
                "{\"quotedPrintable\":{\"isMeasured\":false}}", "{\"sevenBit\":{\"allowsNUL\":false}}",
                "{\"eightBit\":{}}",
                "{\"binary\":{}}",
            ])
        }
        let shownType = self.next(8) == 1 ? self.text() : type
        let choice =
            "{\"detector\":\"given\",\"reason\":\(self.text())"
            + (shownType.map { ",\"mediaType\":\($0)" } ?? "") + "}"
        let count = self.pick(["1", "1", "1", "0", "2"])
        let content = (0..<Int(count)!).map { _ in self.content(depth) }.joined(separator: ",")
        return "{\"header\":\(header)},\"type\":\(choice),\"content\":[\(content)]}"
    }

    private mutating func content(_ depth: Int) -> String {
        switch self.next(9) {
        case 0, 1: return "{\"text\":{\"value\":\(self.text())}}"
        case 2: return "{\"bytes\":{\"base64\":\(self.pick([#""AAE=""#, #""""#, #""A===""#, #""AAE""#, self.text()]))}}"
        case 3, 4:
            let path = self.pick([#""a.txt""#, #""a.txt""#, #""h""#, #"".""#, #""/dev/zero""#, self.text()])
            // The file's current state, so that some descriptions are accepted.
            let state = self.next(5) == 1 ? "" : path.replacingOccurrences(of: "\"", with: "")
            return
                "{\"file\":{\"path\":\(path),\"offset\":\(self.number(["0", "2"])),\"length\":\(self.number(["9", "3"])),"
                + "\"fingerprint\":\(fingerprint(of: state, self.number(["9"])))}}"
        case 5, 6:
            let pattern = self.pick([
                "{\"zeros\":{}}", "{\"repeating\":{\"_0\":[1,2,3]}}", "{\"repeating\":{\"_0\":[]}}",
                "{\"random\":{\"seed\":\(self.number(["7"]))}}",
            ])
            return "{\"synthetic\":{\"bytes\":{\"pattern\":\(pattern),\"count\":\(self.number(["5", "3000", "0"]))}}}"
        default:
            guard depth < 60 else { return "{\"text\":{\"value\":\"deep\"}}" }
            return "{\"multipart\":{\"framing\":\(self.framing(depth + 1)),\"parts\":\(self.parts(depth + 1))}}"
        }
    }
}

/// A file's state in a description.
private func fingerprint(of path: String, _ number: String) -> String {
    var form = FormData()
    form.append(name: "f", source: .file(path))
    if let description = try? form.plan().describe(),
        case .file(_, _, _, let fingerprint)? = description.parts[0].content.first,
        let text = try? JSONEncoder().encode(fingerprint)
    {
        return String(decoding: text, as: UTF8.self)
    }
    return "{\"size\":\(number),\"modified\":{\"seconds\":\(number),\"nanoseconds\":\(number)},\"ends\":\(number)}"
}
