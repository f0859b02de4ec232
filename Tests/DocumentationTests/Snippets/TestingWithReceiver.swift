import Formwork
import FormworkTesting
import Testing

func testingLargeUploads(_ tenGigabytes: FormData) async throws {
    let receiver = try LoopbackReceiver()
    _ = try await send(tenGigabytes, to: receiver.url)
    let video = try receiver.requests[0].form["video"]
    #expect(video?.count == 10_737_418_240)
    #expect(video?.checksum.hex == "ebd91afb")  // CRC-32C, the same on every machine
}

func testingFailures(_ album: FormData) async throws {
    let receiver = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"]), .redirect(to: "/new")])
    #expect(try await send(album, to: receiver.url) == 200)
    #expect(receiver.requests.map(\.target) == ["/", "/", "/new"])
    for request in receiver.requests { try await expectForm(request, equals: album) }
}
