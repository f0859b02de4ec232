import Foundation
import Formwork
import FormworkFoundation
import FormworkMigration
import FormworkMagic
import FormworkTesting
import FormworkURLEncoded
import SystemPackage
import Testing

// Every Swift fence of README.md and of the DocC articles stands here word for word, indented as it may be, so that
// the compiler reads what newcomers read. `FencesTests` compares.

/// A pull stream for the article on sources.
struct CountingStream: ByteStream {
    var offset: Int64

    init(from offset: Int64) { self.offset = offset }

    mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
        guard self.offset < 1_000_000 else { return 0 }
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: self.offset), toByteOffset: 0, as: UInt8.self)
        self.offset += 1
        return 1
    }
}

func send(_ chunk: [UInt8]) async throws {}

func readmeInOneMinute() throws {
    var form = FormData(framing: MultipartFraming(boundary: try Boundary("harbour")))
    form.append(name: "title", value: "Harbour at dawn")
    form.append(name: "notes", file: "Fixtures/grüße aus 東京.txt")

    let plan = try form.plan()
    print(plan.contentType)
    print("Content-Length:", plan.contentLength!)
    try plan.write(to: .standardOutput)
}

func readmeServer(_ form: FormData) async throws {
    let upload = try form.plan()
    for try await chunk in upload.chunks(of: 256 << 10) {
        try await send(chunk)
    }
    if let blocker = upload.replayBlocker {
        print("can't be sent again: \(blocker)")
    } else {
        let rest = try upload.makeReader(from: 100)
        print("\(try rest.collect(upTo: 1 << 20).count) bytes from offset 100")
    }
}

func readmeParameters(_ plan: BodyPlan, _ url: URL) async throws {
    let query = try URLEncodedDialect.php.encode(["page": 2, "tags": ["a", "b"]])
    print(query)  // page=2&tags%5B0%5D=a&tags%5B1%5D=b
    print(try URLEncodedDialect.php.decode(query)["tags"] == ["a", "b"])

    let (answer, response) = try await URLSession.shared.upload(plan, with: URLRequest(url: url))
    print(response.statusCode, answer.count)
}

func migratingFromAlamofire() throws -> (MultipartFormData, URLRequest) {
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
    observed.options.reading.progress = ProgressObserver { print($0.position, "bytes") }
    observed.options.authentication = .basic(user: "user", password: "secret")
    let (_, created) = try await URLSession.shared.upload(observed)

    // A task of your own: the body is a stream, which is sent once.
    let (_, streamed) = try await URLSession.shared.data(for: upload.streamingRequest())
    // A background session: the body is a file.
    let background = try upload.write(to: URL(fileURLWithPath: "body.bin"))
    return [created, streamed, background]
}

func migratingStreams(_ upload: MultipartRequest) -> BodyInputStream? {
    let stream = upload.streamingRequest().httpBodyStream as? BodyInputStream
    stream?.open()
    return stream
}

func migratingToOldReleases() throws -> (HTTPRequestSerializer, URLRequest) {
    let old = HTTPRequestSerializer(settings: RequestSettings(version: "2.5.4", compatibility: .exact))
    let form = try URLRequest(
        url: URL(string: "https://example.com/login")!, formParameters: ["user": "ä b"], space: .plus)
    return (old, form)
}

func migratingExactly() throws -> (MultipartFormData, [String: Int]) {
    let sorted = URLEncodedFormEncoder(compatibility: .exact)
    let unescaped = MultipartFormData(compatibility: .exact)
    let text: String = try sorted.encode(["page": 2])
    let parameters = try URLEncodedFormDecoder(for: sorted).decode([String: Int].self, from: text)
    return (unescaped, parameters)
}

func overview() throws {
    var form = FormData()
    form.append(name: "title", value: "Harbour at dawn")
    form.append(name: "photo", file: "harbour.jpg")

    let plan = try form.plan()
    print(plan.contentType)
    print(plan.contentLength ?? "unknown")
    try plan.write(to: .standardOutput)
}

func sources() throws -> [FormData] {
    let generated = BodySource.stream(length: 1_000_000) { offset in
        CountingStream(from: offset)
    }
    var form = FormData()
    form.append(name: "generated", source: generated)

    var fixture = FormData()
    fixture.append(
        name: "blob", source: .synthetic(SyntheticBytes(.random(seed: 42), count: 8 << 30)), filename: "blob.bin")
    print(try fixture.plan().contentLength ?? 0)

    var readings = FormData()
    readings.append(
        PartSequence(count: 1_000_000) { index in
            BodyPart(name: "reading", value: "\(index)")
        })
    return [form, fixture, readings]
}

func retrying(_ plan: BodyPlan) throws -> (BodyReader, BodyPlan) {
    if let blocker = plan.replayBlocker {
        print("can't be retried: \(blocker)")
    }
    let resumed = try plan.makeReader(from: 100)

    let description = try plan.describe()
    let json = try JSONEncoder().encode(description)
    let again = try JSONDecoder().decode(PlanDescription.self, from: json).form.plan()
    return (resumed, again)
}

func changingFiles(_ plan: BodyPlan) throws {
    do {
        try plan.write(to: .standardOutput)
    } catch FormworkError.Code.sourceChanged {
        print("a file changed: plan again and start over")
    }
}

func snapshot() throws {
    var form = FormData()
    form.append(name: "database", file: "app.sqlite")
    try form.snapshotFiles()
    let plan = try form.plan()
    _ = plan
}

func checkingWhileSent(_ plan: BodyPlan) throws {
    do {
        try plan.write(toFile: "body.bin", options: ReaderOptions(checksFraming: true))
    } catch FormworkError.Code.framingBroken {
        print("a content or a header field breaks the form: choose another boundary")
    }
}

func checkingAfterwards(_ plan: BodyPlan, _ received: [[UInt8]]) throws -> [FormLint.Finding] {
    for finding in try plan.lint() {
        print(finding)
    }

    var lint = FormLint(contentType: "multipart/form-data; boundary=b")
    for chunk in received { lint.take(chunk) }
    let departures = lint.finish().filter { $0.severity == .departure }
    return departures
}

func mediaTypes() throws {
    var upload = FormData(types: .auto)
    upload.append(name: "photo", file: "harbour.jpg")
    upload.append(name: "typed", file: "data.bin", contentType: "application/cbor")
    for piece in try upload.plan().layout where piece.kind != .framing {
        print(piece.contentType?.mediaType ?? "none", piece.contentType?.reason ?? "")
    }
}

func nestedForms() -> FormData {
    var letter = FormData(framing: MultipartFraming(subtype: "alternative"))
    letter.append(
        BodyPart(
            header: PartHeader(
                disposition: nil, contentType: "text/plain; charset=utf-8",
                transferEncoding: .quotedPrintable(isMeasured: true)),
            source: .text("Grüße aus dem Hafen.\r\n")))
    letter.append(
        BodyPart(
            header: PartHeader(disposition: .inline, filename: "harbour.jpg", transferEncoding: .base64()),
            source: .file("harbour.jpg"), findsType: true))

    var message = FormData()
    message.append(BodyPart(name: "letter", multipart: letter))
    return message
}

func curlsArguments() throws -> FormData {
    var arguments = CurlForm()
    try arguments.append("title=Harbour at dawn")
    try arguments.append("photo=@harbour.jpg;type=image/jpeg;headers=\"X-Camera: 7\"")
    try arguments.append("letter=(;type=multipart/alternative")
    try arguments.append("=Good morning;type=text/plain;encoder=quoted-printable")
    try arguments.append("=)")
    let form = try arguments.formData()
    return form
}

func urlEncoding() throws -> (texts: [String], tree: ParameterValue) {
    let parameters: ParameterValue = ["title": "Harbour at dawn", "tags": ["sea", "fog"], "draft": false]
    let browser = try URLEncodedDialect.whatwg.encode(parameters)
    // title=Harbour+at+dawn&tags%5B%5D=sea&tags%5B%5D=fog&draft=false
    let php = try URLEncodedDialect.phpRFC3986.encode(parameters)
    // title=Harbour%20at%20dawn&tags%5B0%5D=sea&tags%5B1%5D=fog&draft=0
    let tree = try URLEncodedDialect.php.decode("tags[]=sea&tags[]=fog&crew[mate]=J%C3%BCrgen")
    // ["tags": ["sea", "fog"], "crew": ["mate": "Jürgen"]]

    var search = URLEncodedDialect.whatwg
    search.flattening.arrays = .repeated
    search.values = .rfc3986
    let query = try search.encode(["q": "fog & sea", "page": [1, 2]])
    // q=fog%20%26%20sea&page=1&page=2
    return ([browser, php, query], tree)
}

func checkedEncoding() throws {
    var checked = URLEncodedDialect.alamofire
    checked.checksReadBack = true
    _ = try checked.encode(["crew": [["name": "Ada"], ["age": 36]]])
    // error: "crew" would be read back as 1 elements, not 2: give its objects the same members in the same order
}

func urlEncodedPieces() throws -> [String] {
    var parser = URLEncodedParser(rules: URLEncodedParsing(invalidText: .refused))
    var names: [String] = []
    for chunk in [Array("title=Harb".utf8), Array("our&dra".utf8), Array("ft".utf8)] {
        parser.append(chunk)
        while let pair = try parser.next() { names.append(pair.name) }
    }
    parser.finish()
    while let pair = try parser.next() { names.append(pair.name) }
    // ["title", "draft"]
    return names
}

struct Profile: Codable {
    var title: String
    var photo: FormFile?
}

func receivingParts(_ body: BodyChunks, _ contentType: String, _ folder: FilePath) async throws -> String {
    var title = ""
    for try await part in try ReceivedParts(body, contentType: contentType) {
        switch part.name {
        case "title": title = try await part.text(upTo: 200)
        case "photo" where part.isFile:
            let name = part.header.safeFilename ?? "photo"
            try await part.write(toFile: folder.appending(name))
        default: break
        }
    }
    return title
}

func receivingForms(_ body: BodyChunks, _ contentType: String) async throws -> Profile {
    let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: contentType))
    print(form["title"] ?? "untitled", form.files(named: "photo").count)
    let profile = try FormDataDecoder().decode(Profile.self, from: form)
    return profile
}

func receivingCharsets(_ form: ReceivedForm) throws -> Profile {
    var decoder = FormDataDecoder()
    decoder.textDecoding = .foundation
    let answer = try decoder.decode(Profile.self, from: form)
    return answer
}

func receivingLimits(_ body: BodyChunks, _ contentType: String) async throws {
    var limits = ParsingLimits()
    limits.fileBytes = 10 << 20
    let deadlines = ReceivingDeadlines(total: .seconds(300), chunk: .seconds(30))
    for try await part in try ReceivedParts(body, contentType: contentType, limits: limits, deadlines: deadlines) {
        if part.name == "video" { try part.limit(to: 4 << 30) }
        try await part.skip()
    }
}

func progress(_ plan: BodyPlan, _ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let upload = UploadMonitor()
    async let answer = URLSession.shared.upload(plan, with: request, options: UploadOptions(monitor: upload))
    for await progress in upload.progress {
        print(progress.sent, progress.fractionCompleted ?? 0)
    }
    let (data, response) = try await answer
    return (data, response)
}

func foundationProgress() -> Progress {
    let upload = UploadMonitor()
    let progress = Progress(following: upload)
    return progress
}

func testingUploads() throws -> BodyPlan {
    let tenGigabytes = FormData()
        .appending(name: "title", value: "Large")
        .appending(
            name: "video", source: .synthetic(SyntheticBytes(.random(seed: 7), count: 10 << 30)), filename: "video.mp4")
    let plan = try tenGigabytes.plan()
    print(plan.contentLength ?? 0)  // 10737418529, known before a byte is made
    return plan
}

func testingHandlers() throws {
    let body = "--x\r\nContent-Disposition: form-data; name=title\r\n\r\nHarbour\r\n--x--\r\n"
    let form = try ReceivedForm(body, contentType: "multipart/form-data; boundary=x")
    print(form["title"] ?? "none")
}

func testingClients(_ profile: some Encodable) throws {
    let sent = try FormDataEncoder().encode(profile).plan()
    let received = try ReceivedForm(sent.bytes(upTo: 1 << 20), contentType: sent.contentType)
    print(received)
}

private func send(_ form: FormData, to url: URL) async throws -> Int {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    let options = UploadOptions(retry: RetryPolicy(count: 2))
    return try await URLSession.shared.upload(form.plan(), with: request, options: options).1.statusCode
}

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
