import Dispatch
@testable import Formwork
@testable import FormworkCore
import Synchronization

/// A body that is collected, linted, diagnosed, decoded and composed again.
///
/// The first byte chooses limits; a boundary follows up to U+001F; the rest is the body.
func fuzzReceive(_ input: [UInt8]) {
    guard let choice = input.first, let separator = input.dropFirst().firstIndex(of: 0x1F) else { return }
    var dice = Dice(input)
    let boundary = String(decoding: input[1..<separator], as: UTF8.self)
    let contentType = "multipart/form-data; boundary=\"\(boundary)\""
    let body = Array(input[(separator + 1)...])

    let findings = lint(contentType, body) { _ in body.count }
    for size in [1, 1 + dice.roll(60)] {
        check(lint(contentType, body) { _ in size } == findings, "other findings when cut")
    }
    diagnose(contentType, body)

    var limits = CollectingLimits()
    if choice & 1 != 0 { limits.fileMemoryBytes = Int(choice >> 1 & 7) }
    if choice & 16 != 0 { limits.memoryBytes = 400 }
    let size = 1 + dice.roll(100)
    guard let form = collected(contentType, body, size, limits) else { return }

    _ = try? FormDataDecoder().decode([String: Anything].self, from: form)
    _ = try? FormDataDecoder().decode(Record.self, from: form)

    // A name that isn't UTF-8 is repaired, which may triple its length, and so does the escaping of quotes and line ends:
    // perhaps beyond a reader's limit.
    let isShort = form.allSatisfy { entry in
        let name = (entry.name ?? "").utf8
        return name.count + 2 * name.count { [0x22, 0x0D, 0x0A].contains($0) } <= ParsingLimits.default.nameBytes
    }
    guard isShort else { return }
    let plan: BodyPlan
    do throws(FormworkError) { plan = try FormData(form).plan() } catch { return }
    guard let again = try? plan.makeReader().collect(upTo: 1 << 20),
        let copy = collected(plan.contentType, again, 1 + dice.roll(100), CollectingLimits())
    else { return check(false, "what was composed of \(form.count) parts can't be read") }
    check(copy.count == form.count, "\(copy.count) parts of \(form.count)")
    for (one, other) in zip(form, copy) {
        check(contents(one) == contents(other), "another content")
        check(one.isFile == other.isFile, "a file became a field")
    }
}

private func lint(_ contentType: String, _ body: [UInt8], _ size: (Int) -> Int) -> [Finding] {
    guard var parser = try? MultipartParser(linting: contentType) else { return [] }
    do throws(FormworkError) {
        var at = 0
        while at < body.count {
            let end = min(body.count, at + size(at))
            let chunk = Array(body[at..<end])
            var position = 0
            while try parser.next(in: chunk, from: &position) != .needsInput {}
            at = end
        }
        try parser.finish()
        return parser.findings()
    } catch {
        return parser.findings(endingWith: error)
    }
}

private func diagnose(_ contentType: String, _ body: [UInt8]) {
    guard var parser = try? MultipartParser(contentType: contentType) else { return }
    var seen = BodyDiagnosis(for: parser, contentLength: Int64(body.count) + 1)
    seen.take(body)
    var position = 0
    do throws(FormworkError) {
        while true {
            let event = try parser.next(in: body, from: &position)
            seen.take(event, in: body)
            if case .needsInput = event { break }
        }
        try parser.finish()
        _ = seen.finding(for: nil)
    } catch {
        _ = seen.finding(for: error)
    }
}

/// Waits for a form; `nil` if it was refused with an error code.
private func collected(
    _ contentType: String, _ body: [UInt8], _ size: Int, _ limits: CollectingLimits
) -> ReceivedForm? {
    let chunks = stride(from: 0, to: body.count, by: size).map { body[$0..<min(body.count, $0 + size)] }
    return wait {
        do {
            let parts = try ReceivedParts(
                AsyncStream { stream in
                    for chunk in chunks { stream.yield(chunk) }
                    stream.finish()
                }, contentType: contentType)
            return try await ReceivedForm(collecting: parts, limits: limits)
        } catch {
            check((error as? FormworkError)?.parsingFailure != nil, "an error without a class: \(error)")
            return nil
        }
    }
}

private func contents(_ entry: ReceivedForm.Entry) -> [UInt8]? {
    if let bytes = entry.content.inMemory { return bytes }
    return wait { try? await entry.content.bytes(upTo: 1 << 20) }
}

private func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value?) -> Value? {
    let box = Box<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let value = await work()
        box.result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return box.result.withLock { $0 }
}

private final class Box<Value: Sendable>: Sendable {
    let result = Mutex<Value?>(nil)
}

/// Decodes to the structure that the names give.
private indirect enum Anything: Decodable {
    case text(String)
    case file(FormFile)
    case list([Anything])
    case object([String: Anything])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let file = try? container.decode(FormFile.self) {
            self = .file(file)
        } else if let object = try? container.decode([String: Anything].self) {
            self = .object(object)
        } else {
            self = .list(try container.decode([Anything].self))
        }
    }
}

private struct Record: Decodable {
    var a: Int?
    var b: [Bool]
    var c: FormFile?
    var d: [String: [Double]]?
}
