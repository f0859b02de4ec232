// A function behind an HTTP gateway: an event on standard input has the body in base64, a form, which is decoded in memory.
import Formwork
import Foundation

struct Event: Decodable {
    var headers: [String: String]
    var body: Data
}

struct Upload: Decodable {
    struct Metadata: Decodable { var album: String }

    var title: String
    var photo: Data
    var taken: Date?
    var link: URL?
    var metadata: Metadata
}

let event = try JSONDecoder().decode(Event.self, from: FileHandle.standardInput.readToEnd() ?? Data())
do {
    let upload = try FormDataDecoder().decode(
        Upload.self, from: event.body, contentType: event.headers["content-type"])
    print("\(upload.title): \(upload.photo.count) bytes for \(upload.metadata.album), \(upload.link?.host() ?? "no link")")
} catch {
    print("400: \(error.localizedDescription)")
}
