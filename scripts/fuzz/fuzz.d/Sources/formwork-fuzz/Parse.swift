@testable import Formwork
@testable import FormworkCore

/// A body, cut in different ways.
///
/// The first byte chooses the profile and small limits; a boundary follows up to U+001F; the rest is the body.
func fuzzParse(_ input: [UInt8]) {
    guard let choice = input.first, let separator = input.dropFirst().firstIndex(of: 0x1F) else { return }
    var dice = Dice(input)
    let profiles: [ParsingProfile] = [.default, .generic, .whatwg, .lenient, .strict, escaping]
    let profile = profiles[Int(choice & 7) % profiles.count]
    var limits = ParsingLimits()
    if choice & 8 != 0 {
        (limits.fieldBytes, limits.fileBytes, limits.preambleBytes) = (20, 30, 10)
        (limits.headerBytes, limits.totalHeaderBytes, limits.headerCount) = (120, 250, 3)
        (limits.parts, limits.fields, limits.files, limits.nameBytes, limits.totalBytes) = (4, 3, 2, 10, 500)
    }
    let boundary = String(decoding: input[1..<separator], as: UTF8.self)
    let body = Array(input[(separator + 1)...])
    let subtype = profile.acceptsAnyMultipart ? "mixed" : "form-data"
    let parser: MultipartParser
    do throws(FormworkError) {
        parser = try MultipartParser(
            contentType: "multipart/\(subtype); boundary=\"\(boundary)\"", profile: profile, limits: limits)
    } catch {
        return check(error.parsingFailure != nil, "an error without a class")
    }

    let whole = outcome(parser, body) { _ in body.count }
    let kept = 16_384 + 512 + boundary.utf8.count
    for one in [
        outcome(parser, body) { _ in 1 }, outcome(parser, body) { _ in dice.roll(4) },
        outcome(parser, body) { _ in dice.roll(60) },
        outcome(parser, body) { $0 == 0 ? dice.roll(body.count + 1) : body.count },
    ] {
        check(one.lines == whole.lines, "cut otherwise: \(one.lines) instead of \(whole.lines)")
        check(one.retained <= kept, "\(one.retained) bytes kept")
    }
}

private let escaping: ParsingProfile = {
    var profile = ParsingProfile.generic
    (profile.backslashes, profile.decodesPercentEscapes) = (.escape, true)
    return profile
}()

/// The events that a parser returns for a body, with adjacent content joined, and its end.
private func outcome(
    _ parser: MultipartParser, _ body: [UInt8], _ size: (Int) -> Int
) -> (lines: [String], retained: Int) {
    var parser = parser
    var lines: [String] = []
    var content: [UInt8] = []
    var (at, retained, events) = (0, 0, 0)
    do throws(FormworkError) {
        while at < body.count {
            let end = min(body.count, at + size(at))
            var position = at
            feeding: while true {
                let before = position
                events += 1
                switch try parser.next(in: body[at..<end], from: &position) {
                case .partBegan(let header):
                    check(parser.retainedBytes <= 2, "a header is kept after it was returned")
                    let name = header.name.map { shown($0.utf8) } ?? "-"
                    let filename = header.filename.map { shown($0.utf8) } ?? "-"
                    lines.append("part \(name) \(filename) \(header.contentType ?? "-") \(header.fields.count)")
                    if let safe = header.safeFilename { checkSafe(safe) }
                case .content(let range):
                    check(range.lowerBound >= before && range.upperBound <= position, "content outside what was used")
                    content += body[range]
                case .heldContent(let bytes): content += bytes
                case .partEnded:
                    lines.append("content \(shown(content))")
                    content = []
                case .finished: lines.append("finished")
                case .needsInput:
                    check(position == end, "input is left")
                    break feeding
                }
            }
            check(parser.offset == Int64(end), "the offset is \(parser.offset), not \(end)")
            retained = max(retained, parser.retainedBytes)
            at = end
        }
        try parser.finish()
        lines.append("end")
    } catch {
        lines.append("content \(shown(content))")
        lines.append("\(error.code) \(error.parsingFailure?.description ?? "?") \(error.offset ?? -1) \(error.message)")
        check(error.parsingFailure != nil, "an error without a class")
        for _ in 0..<2 {
            var position = 0
            do throws(FormworkError) {
                _ = try parser.next(in: body, from: &position)
                check(false, "a failed parser goes on")
            } catch let again {
                check(again.description == error.description && position == 0, "another error after an error")
            }
        }
    }
    check(events <= 3 * body.count + 10 + at, "\(events) events")
    return (lines, retained)
}

private func checkSafe(_ name: String) {
    check(!name.isEmpty && name.utf8.count <= 255, "a safe name of \(name.utf8.count) bytes")
    check(
        !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F || $0 == 0x5C || $0 == 0x3A },
        "unsafe: \(shown(name.utf8))")
    check(name.utf8.first != 0x2E && name.utf8.last != 0x2E && name.utf8.last != 0x20, "unsafe: \(shown(name.utf8))")
    check(SafeFilename(name)?.text == name, "a safe name is made safe again: \(shown(name.utf8))")
}
