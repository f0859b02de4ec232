// A form through the body type of generated clients and servers, both ways and twice: openapi FILE
import Formwork
import OpenAPIRuntime

let form = FormData()
    .appending(name: "title", value: "Harbour at dawn")
    .appending(name: "photo", file: CommandLine.arguments.dropFirst().first ?? "Package.swift")
let plan = try form.plan()

// What a client sends.
let body = HTTPBody(
    plan.chunks(), length: plan.contentLength.map { .known($0) } ?? .unknown,
    iterationBehavior: plan.isReplayable ? .multiple : .single)

// What a server reads, and after a redirect another one.
for _ in 0..<2 {
    let received = try await ReceivedForm(collecting: ReceivedParts(body, contentType: plan.contentType))
    print(body.length, received["title"] ?? "untitled", received.files(named: "photo").first?.content.count ?? 0)
}
