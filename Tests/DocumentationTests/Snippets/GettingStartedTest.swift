import Formwork
import FormworkFoundation
import FormworkTesting
import Foundation
import Testing

@Test func sendsTheForm() async throws {
    let receiver = try LoopbackReceiver()
    let form = FormData().appending(name: "title", value: "Harbour")
    let (_, response) = try await URLSession.shared.upload(form, with: URLRequest(url: receiver.url))
    #expect(response.statusCode == 200)
    try await expectForm(receiver.requests[0], equals: form)
}
