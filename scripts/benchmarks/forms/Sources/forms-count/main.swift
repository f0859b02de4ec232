// `forms-count CASE TIMES` does the same work TIMES times, and prints what it found. The difference of two runs
// under callgrind, divided by the difference of their times, is the number of instructions of one.
import Formwork
import FormworkMigration
import FormworkURLEncoded
import Forms

/// Made before anything is counted.
let pairs = zip(Bodies.names, Bodies.values).map { URLEncodedPair($0, $1) }
let order = try FormDataDecoder().decode(Order.self, from: Bodies.order, contentType: Bodies.multipart)

func emptyForm() throws -> FormData {
    FormData(framing: MultipartFraming(boundary: try Boundary(Bodies.boundary)))
}

/// The bytes of 1,000 fields of a sequence, whose length is known before or not.
func composed(isMeasured: Bool) throws -> Int {
    var form = try emptyForm()
    form.append(
        PartSequence(count: 1_000, isMeasured: isMeasured) { index in
            BodyPart(name: Bodies.names[index], value: Bodies.values[index])
        })
    let reader = try form.plan().makeReader()
    var bytes = 0
    while case let count = try reader.read(upTo: 65_536).count, count > 0 { bytes += count }
    return bytes
}

/// The length of a form of 100 files, which are planned and not read: any file will do, but not one of this folder, whose
/// path may be longer elsewhere.
func planned() throws -> Int {
    var form = try emptyForm()
    for name in Bodies.names.prefix(100) {
        form.append(name: name, file: "/bin/sh", filename: "table.json")
    }
    return Int(try form.plan().contentLength ?? 0)
}

/// What one case found, so that a count of wrong work fails.
func found(_ name: String) async throws -> Int {
    switch name {
    case "parse":
        var parser = MultipartParser(boundary: try Boundary(Bodies.boundary))
        let body = Bodies.signUp
        var (position, bytes) = (0, 0)
        reading: while true {
            switch try parser.next(in: body, from: &position) {
            case .content(let range): bytes += range.count
            case .needsInput, .finished: break reading
            default: break
            }
        }
        return bytes
    case "decode":
        let value = try FormDataDecoder().decode(SignUp.self, from: Bodies.signUp, contentType: Bodies.multipart)
        return value.age + value.name.utf8.count
    case "decode-20":
        let value = try FormDataDecoder().decode(Order.self, from: Bodies.order, contentType: Bodies.multipart)
        return value.house + value.quantity + value.note.utf8.count
    case "decode-urlencoded":
        let value = try FormDataDecoder().decode(
            SignUp.self, from: Bodies.signUpURLEncoded, contentType: Bodies.urlEncoded)
        return value.age + value.name.utf8.count
    case "collect":
        let parts = try ReceivedParts(ReadyChunks(Bodies.signUp, of: 65_536), contentType: Bodies.multipart)
        return try await ReceivedForm(collecting: parts).count
    case "collect-decode":
        let form = try await ReceivedForm(
            collecting: ReadyChunks(Bodies.signUp, of: 65_536), contentType: Bodies.multipart)
        let value = try FormDataDecoder().decode(SignUp.self, from: form)
        return value.age + value.name.utf8.count
    case "parts":
        var bytes = 0
        let parts = try ReceivedParts(ReadyChunks(Bodies.signUp, of: 65_536), contentType: Bodies.multipart)
        for try await part in parts {
            if part.isFile {
                bytes += try await part.collect(upTo: 1 << 20).count
            } else {
                bytes += try await part.text(upTo: 1 << 10).utf8.count
            }
        }
        return bytes
    case "pieces":
        var bytes = 0
        let parts = try ReceivedParts(ReadyChunks(Bodies.signUp, of: 65_536), contentType: Bodies.multipart)
        for try await part in parts {
            for try await piece in part.content { bytes += piece.byteCount }
        }
        return bytes
    case "fields-16", "fields-670":
        let body = name == "fields-16" ? Bodies.shortFields : Bodies.longFields
        let parts = try ReceivedParts(
            ReadyChunks(body, of: 65_536), contentType: Bodies.multipart, limits: .none)
        return try await ReceivedForm(collecting: parts).count
    case "encode-urlencoded":
        var bytes: [UInt8] = []
        URLEncodedDialect.whatwg.append(pairs, to: &bytes)
        return bytes.count
    case "encode-struct":
        let text: String = try URLEncodedFormEncoder().encode(order)
        return text.utf8.count
    case "send-on":
        var form = try emptyForm()
        form.append(once: try ReceivedParts(ReadyChunks(Bodies.signUp, of: 65_536), contentType: Bodies.multipart))
        let reader = AsyncBodyReader(try await form.plan().makeReader())
        var bytes = 0
        while let chunk = try await reader.next() { bytes += chunk.count }
        return bytes
    case "compose", "compose-once": return try composed(isMeasured: name == "compose")
    case "plan-files": return try planned()
    default: fatalError("unknown case")
    }
}

let (name, times) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 0)
try CallingThread.run {
    var sum = 0
    for _ in 0..<times { sum += try await found(name) }
    print(sum)
}
