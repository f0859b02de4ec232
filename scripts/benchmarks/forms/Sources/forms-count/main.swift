// `forms-count CASE TIMES` does the same work TIMES times, and prints what it found. The difference of two runs
// under callgrind, divided by the difference of their times, is the number of instructions of one.
import Formwork
import Forms

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
    default: fatalError("unknown case")
    }
}

let (name, times) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 0)
try CallingThread.run {
    var sum = 0
    for _ in 0..<times { sum += try await found(name) }
    print(sum)
}
