import FormworkTesting
import Testing

@Test func sendsALargeFile() async throws {
    let video = BodySource.synthetic(count: 1 << 30, seed: 7)
    let receiver = try LoopbackReceiver()
    _ = try await send(FormData().appending(name: "video", source: video, filename: "a.mp4"), to: receiver.url)
    let received = try receiver.requests[0].form["video"]
    #expect(received?.count == 1_073_741_824)
    #expect(received?.checksum.hex == "1b504426")  // CRC-32C, the same on every machine
}

@Test func continuesAfterFailures() async throws {
    let album = FormData().appending(name: "title", value: "Harbour")
    let receiver = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"]), .redirect(to: "/new")])
    #expect(try await send(album, to: receiver.url) == 200)
    #expect(receiver.requests.map(\.target) == ["/", "/", "/new"])
    for request in receiver.requests { try await expectForm(request, equals: album) }
}
