// A function behind API Gateway. It reads an event from standard input, whose body is a form, in base64 or plain, and writes
// the answer to standard output.
import Formwork
import Foundation

struct Event: Decodable {
    var headers: [String: String]
    var body: String
    var isBase64Encoded: Bool
}

struct Answer: Encodable {
    var statusCode: Int
    var body: String
}

struct Upload: Decodable {
    struct Metadata: Decodable { var album: String }

    var title: String
    var photo: Data
    var taken: Date?
    var link: URL?
    var metadata: Metadata
}

func handle(_ event: Event) -> Answer {
    guard let body = event.isBase64Encoded ? Data(base64Encoded: event.body) : Data(event.body.utf8) else {
        return Answer(statusCode: 400, body: "the body isn't base64")
    }
    do {
        let upload = try FormDataDecoder().decode(
            Upload.self, from: body, contentType: event.headers["content-type"])
        return Answer(statusCode: 201, body: "\(upload.title): \(upload.photo.count) bytes for \(upload.metadata.album)")
    } catch {
        return Answer(statusCode: 400, body: "\(error)")
    }
}

let event = try JSONDecoder().decode(Event.self, from: FileHandle.standardInput.readToEnd() ?? Data())
FileHandle.standardOutput.write(try JSONEncoder().encode(handle(event)))
