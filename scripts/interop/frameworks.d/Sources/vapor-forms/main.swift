// A Vapor application with the routes of the article, and some that only frameworks sees: vapor-forms PORT FOLDER
import AsyncHTTPClient
import FormworkClient
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import Vapor

struct Profile: Content {
    var name: String
    var age: Int?
    var tags: [String]
}

let (port, folder) = (Int(CommandLine.arguments[1]) ?? 0, CommandLine.arguments[2])
let app = try await Application.make(Environment(name: "production", arguments: ["vapor"]))
app.http.server.configuration.hostname = "127.0.0.1"
app.http.server.configuration.port = port
ContentConfiguration.global.use(decoder: Formwork.FormDataDecoder(), for: .formData)
ContentConfiguration.global.use(decoder: Formwork.FormDataDecoder(), for: .urlEncodedForm)

extension Request {
    func parts(limits: ParsingLimits = ParsingLimits()) throws -> ReceivedParts<Request.Body> {
        try ReceivedParts(self.body, contentType: self.headers.first(name: "Content-Type"), limits: limits)
    }
}

app.on(.POST, "photos", body: .stream) { request in
    try await request.parts().writeFiles(into: folder)
    return HTTPStatus.created
}

app.post("profile") { request in
    try request.content.decode(Profile.self)
}

// At most 1 MB for a file.
app.on(.POST, "small", body: .stream) { request in
    var limits = ParsingLimits()
    limits.fileBytes = 1_000_000
    return try await ReceivedForm(collecting: request.parts(limits: limits)).files(named: "file").count.description
}

// Reads 100 KB, and then waits for the file "go".
app.on(.POST, "slow", body: .stream) { request in
    var count = 0
    for try await part in try request.parts() where part.isFile {
        for try await piece in part.content {
            if count < 100_000, count + piece.readableBytes >= 100_000 {
                while !FileManager.default.fileExists(atPath: "\(folder)/go") { try await Task.sleep(for: .milliseconds(50)) }
            }
            count += piece.readableBytes
        }
    }
    return "\(count)"
}

// The names that a first loop sees before it stops, and those of a second.
app.on(.POST, "twice", body: .stream) { request in
    let parts = try request.parts()
    var names: [String] = []
    for try await part in parts {
        names.append(part.name ?? "-")
        break
    }
    do {
        for try await part in parts { names.append(part.name ?? "-") }
    } catch {
        names.append("error")
    }
    return names.joined(separator: " ")
}

// Sends a file of the folder to another server.
app.get("send") { request in
    let form = FormData().appending(name: "file", file: "\(folder)/\(try request.query.get(String.self, at: "name"))")
    let upload = HTTPClientRequest(url: try request.query.get(String.self, at: "to"))
    let response = try await request.application.http.client.shared.upload(form.plan(), with: upload)
    return HTTPStatus(statusCode: Int(response.status.code))
}

app.resumableUploads("files", into: folder)
try await app.execute()
