// Writes a form with a field, a file and JSON to standard output, and its Content-Type to standard error.
import Formwork

struct Metadata: Encodable {
    var album: String
    var tags: [String]
}

let path = CommandLine.arguments.dropFirst().first ?? "Package.swift"
let form = try FormData()
    .appending(name: "title", value: "Harbour at dawn")
    .appending(name: "photo", file: path)
    .appending(name: "metadata", json: Metadata(album: "Sea", tags: ["harbour", "dawn"]))
let plan = try form.plan()
try FileDescriptor.standardError.writeAll("Content-Type: \(plan.contentType)\n".utf8)
try plan.write(to: .standardOutput)
