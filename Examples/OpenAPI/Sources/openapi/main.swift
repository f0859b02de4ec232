// Sends and reads a form through the body type of generated clients and servers, twice: openapi FILE
import Formwork
import OpenAPIRuntime

let form = FormData()
    .appending(name: "title", value: "Harbour at dawn")
    .appending(name: "photo", file: CommandLine.arguments.dropFirst().first ?? "Package.swift")
let plan = try form.plan()

// The client's side.
let body = HTTPBody(
    plan.chunks(), length: plan.contentLength.map { .known($0) } ?? .unknown,
    iterationBehavior: plan.isReplayable ? .multiple : .single)

// The server's side, and after a redirect that of another server.
for _ in 0..<2 {
    let received = try await ReceivedForm(collecting: ReceivedParts(body, contentType: plan.contentType))
    print(body.length, received["title"] ?? "untitled", received.files(named: "photo").first?.content.count ?? 0)
}
