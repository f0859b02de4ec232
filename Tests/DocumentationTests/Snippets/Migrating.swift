import FormworkMigration
import Foundation

func migratingFromAlamofire() async throws -> (MultipartFormData, URLRequest) {
    let form = MultipartFormData()
    form.append(Data("Harbour at dawn".utf8), withName: "title")
    form.append(URL(fileURLWithPath: "harbour.jpg"), withName: "photo")

    var request = try URLRequest(url: "https://example.com/up", method: .post)
    request = try URLEncodedFormParameterEncoder.default.encode(["page": 2], into: request)
    request = try URLEncoding.queryString.encode(request, with: ["tags": ["a", "b"]])
    request = try JSONParameterEncoder.sortedKeys.encode(["page": 2], into: request)
    return (form, request)
}

func migratingFromAFNetworking() async throws -> URLRequest {
    var serializer = HTTPRequestSerializer()
    serializer.settings.setValue("application/json", forHTTPHeaderField: "Accept")
    serializer.settings.setAuthorization(username: "user", password: "secret")
    serializer.timeoutInterval = 30
    let search = try serializer.request(
        method: "GET", url: "https://example.com/search", parameters: ["q": "harbour", "tags": ["a", "b"]])

    let upload = try serializer.multipartFormRequest(
        method: "POST", url: "https://example.com/up", parameters: ["title": "Harbour at dawn"]
    ) { form in
        try form.append(file: URL(fileURLWithPath: "harbour.jpg"), name: "photo")
        form.throttle(packetSize: 8000, delay: .milliseconds(300))
    }
    let (answer, response) = try await URLSession.shared.upload(upload)
    print(response.statusCode, answer.count)
    print(try await migratingUploads(upload))
    return search
}

func migratingUploads(_ upload: MultipartRequest) async throws -> [Any] {
    var observed = upload
    observed.options.reading.progress = { print($0.sent, "bytes") }
    observed.options.authentication = .basic(user: "user", password: "secret")
    let (_, created) = try await URLSession.shared.upload(observed)

    // A task of your own: the body is a stream, which is sent once.
    let (_, streamed) = try await URLSession.shared.data(for: upload.streamingRequest())
    // A background session: the body is a file.
    let background = try upload.write(to: URL(fileURLWithPath: "body.bin"))
    return [created, streamed, background]
}

func migratingStreams(_ upload: MultipartRequest) async -> BodyInputStream? {
    let stream = upload.streamingRequest().httpBodyStream as? BodyInputStream
    stream?.open()
    return stream
}

func migratingToOldReleases() async throws -> (HTTPRequestSerializer, URLRequest) {
    let old = HTTPRequestSerializer(settings: RequestSettings(version: "2.5.4", compatibility: .exact))
    let form = try URLRequest(
        url: URL(string: "https://example.com/login")!, formParameters: ["user": "ä b"], space: .plus)
    return (old, form)
}

func migratingExactly() async -> (URLEncodedFormEncoder, MultipartFormData) {
    let sorted = URLEncodedFormEncoder(compatibility: .exact)
    let unescaped = MultipartFormData(compatibility: .exact)
    return (sorted, unescaped)
}
