import Foundation
import FormworkFoundation

/// Of the README, Getting started and the page about URLSession.
func readmeUpload() async throws {
    let url = URL(string: "https://example.com/up")!
    let form = FormData().appending(name: "title", value: "Harbour").appending(name: "photo", file: "harbour.jpg")
    let (data, response) = try await URLSession.shared.upload(form, with: URLRequest(url: url)) { print($0.sent) }
    print(response.statusCode, String(decoding: data, as: UTF8.self))
}
