// Forms through swift-openapi-runtime: openapi-forms FILE. Prints what came back.
import Formwork
import HTTPTypes
@_spi(Generated) import OpenAPIRuntime

extension HTTPBody {
    convenience init(_ plan: BodyPlan) {
        self.init(
            plan.chunks(), length: plan.contentLength.map { .known($0) } ?? .unknown,
            iterationBehavior: plan.isReplayable ? .multiple : .single)
    }
}

let framing = MultipartFraming(boundary: try Boundary("frameworks"))
let plan = try await FormData(framing: framing).appending(name: "title", value: "Harbour")
    .appending(name: "photo", file: CommandLine.arguments[1]).plan()
let body = HTTPBody(plan)
// A request that is redirected iterates its body again.
for _ in 1...2 {
    let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: plan.contentType))
    print(form["title"] ?? "untitled", form.files(named: "photo").count)
}
if case .known(let length) = body.length { print("length", length == plan.contentLength ?? -1) }


// What generated code does with a typed multipart body, both ways.
let converter = Converter(configuration: Configuration())
let names: Set<String> = ["title", "photo"]
var fields = HTTPFields()
let sent = try converter.setRequiredRequestBodyAsMultipart(
    MultipartBody<MultipartRawPart>([
        MultipartRawPart(name: "title", filename: nil, headerFields: [:], body: "Harbour"),
        MultipartRawPart(
            name: "photo", filename: "Grün \"q\".bin", headerFields: [.contentType: "application/octet-stream"],
            body: HTTPBody([UInt8](repeating: 0, count: 3_000_000))),
    ]), headerFields: &fields, contentType: "multipart/form-data", allowsUnknownParts: false,
    requiredExactlyOncePartNames: names, requiredAtLeastOncePartNames: [], atMostOncePartNames: [],
    zeroOrMoreTimesPartNames: [], encoding: { $0 })
for try await part in try ReceivedParts(sent, contentType: fields[.contentType]) {
    print("theirs", part.name ?? "-", part.filename ?? "-", try await part.collect(upTo: 1 << 30).count)
}
let received = try converter.getRequiredRequestBodyAsMultipart(
    MultipartBody<MultipartRawPart>.self, from: body, transforming: { $0 }, boundary: "frameworks",
    allowsUnknownParts: false, requiredExactlyOncePartNames: names, requiredAtLeastOncePartNames: [],
    atMostOncePartNames: [], zeroOrMoreTimesPartNames: [], decoding: { $0 })
for try await part in received {
    let bytes = try await [UInt8](collecting: part.body, upTo: 1 << 30)
    print("ours", part.name ?? "-", part.filename ?? "-", bytes.count)
}
