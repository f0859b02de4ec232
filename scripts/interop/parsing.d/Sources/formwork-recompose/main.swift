import Formwork
import Foundation

// Reads one body per line, {"types": its Content-Types, "body": base64}, collects it with the default profile, composes it
// again, and parses the result. Answers with a line of JSON:
//     {"error": kind}                                    the body is refused
//     {"parts": […], "type", "body", "again": […]}       its parts, the composed body, and the parts of that
//     {"failure": text}                                  it was parsed, but couldn't be composed or parsed again
// A part is {"name", "filename", "type", "content": base64}; what is missing is null.

struct Question: Decodable {
    var types: [String]
    var body: Data
}

struct Part: Encodable {
    var name: String?
    var filename: String?
    var type: String?
    var content: Data

    enum CodingKeys: CodingKey { case name, filename, type, content }

    // nil as null, so that every part has every key.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.name, forKey: .name)
        try container.encode(self.filename, forKey: .filename)
        try container.encode(self.type, forKey: .type)
        try container.encode(self.content, forKey: .content)
    }
}

struct Answer: Encodable {
    var error: String?
    var failure: String?
    var parts: [Part]?
    var type: String?
    var body: Data?
    var again: [Part]?
}

/// A body in chunks of a prime size, so that a cut falls anywhere.
struct Chunks: AsyncSequence {
    var bytes: [UInt8]

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>

        mutating func next() -> [UInt8]? {
            guard !self.rest.isEmpty else { return nil }
            defer { self.rest = self.rest.dropFirst(509) }
            return Array(self.rest.prefix(509))
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: self.bytes[...]) }
}

func collect(_ body: [UInt8], _ type: String) async throws -> ReceivedForm {
    var limits = CollectingLimits()
    limits.fileMemoryBytes = 1000  // Some files go to disk.
    return try await ReceivedForm(collecting: try ReceivedParts(Chunks(bytes: body), contentType: type), limits: limits)
}

func parts(_ form: ReceivedForm) async throws -> [Part] {
    var parts: [Part] = []
    for entry in form {
        let content = Data(try await entry.content.bytes(upTo: 1 << 30))
        // A file whose name can't be decoded is sent with an empty one.
        let filename = entry.isFile ? entry.filename ?? "" : nil
        parts.append(Part(name: entry.name, filename: filename, type: entry.contentType, content: content))
    }
    return parts
}

func answer(_ question: Question) async throws -> Answer {
    let form: ReceivedForm
    do {
        form = try await collect(Array(question.body), question.types.joined(separator: ", "))
    } catch let error as FormworkError {
        return Answer(error: error.parsingFailure?.kind.rawValue ?? error.code.description)
    }
    do {
        let plan = try await FormData(form).plan()
        let body = try await plan.bytes(upTo: 1 << 30)
        let again = try await collect(body, plan.contentType)
        return Answer(
            parts: try await parts(form), type: plan.contentType, body: Data(body), again: try await parts(again))
    } catch {
        return Answer(failure: "\(error)")
    }
}

let encoder = JSONEncoder()
while let line = readLine() {
    let question = try JSONDecoder().decode(Question.self, from: Data(line.utf8))
    let line = try await encoder.encode(answer(question)) + Data("\n".utf8)
    try FileHandle.standardOutput.write(contentsOf: line)
}
