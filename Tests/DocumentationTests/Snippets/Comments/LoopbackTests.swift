import FormworkTesting
import Testing

// The example in the comment of expectForm.

@Test func sends() async throws {
    let form = FormData([BodyPart(name: "title", value: "Harbour at dawn")])
    let receiver = try LoopbackReceiver()
    _ = try await send(form, to: receiver.url)
    try await expectForm(receiver.nextRequest(), equals: form)
}
