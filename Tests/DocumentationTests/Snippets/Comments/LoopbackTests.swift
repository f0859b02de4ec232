import FormworkTesting
import Testing

// The examples in the comments of LoopbackReceiver and expectForm.

func loopbackRetries(_ form: FormData) async throws {
    let receiver = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"]), .status(201)])
    _ = try await send(form, to: receiver.url)
    #expect(receiver.requests.count == 2)
    try await expectForm(receiver.requests[1], equals: form)
}

@Test func sends() async throws {
    let form = FormData([BodyPart(name: "title", value: "Harbour at dawn")])
    let receiver = try LoopbackReceiver()
    _ = try await send(form, to: receiver.url)
    try await expectForm(receiver.nextRequest(), equals: form)
}
