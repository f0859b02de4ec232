import Foundation
import FormworkFoundation
import FormworkMigration
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@Suite("AFNetworking's multipart requests", .timeLimit(.minutes(10)))
struct MultipartRequestTests {
    private let folder = Folder()

    private static func make(
        _ compatibility: Compatibility = .safe, version: AFNetworkingVersion = .latest,
        parameters: ParameterValue? = nil, _ construct: (inout MultipartFormBuilder) throws -> Void = { _ in }
    ) throws -> MultipartRequest {
        let settings = RequestSettings(version: version, compatibility: compatibility, headers: [:])
        return try HTTPRequestSerializer(settings: settings)
            .multipartFormRequest(method: "POST", url: "http://a.b/", parameters: parameters, constructing: construct)
    }

    /// The body, its boundary written `B`.
    private static func body(_ request: MultipartRequest) throws -> String {
        let plan = try #require(request.plan)
        let type = try #require(request.request.value(forHTTPHeaderField: "Content-Type"))
        let boundary = try #require(type.components(separatedBy: "boundary=").last)
        return String(decoding: try plan.bytes(upTo: 1 << 20), as: UTF8.self)
            .replacingOccurrences(of: boundary, with: "B")
    }

    @Test("Parameters come first, flattened with plain names; then the parts; the length has the framing")
    func parts() throws {
        let file = try self.folder.file("note.txt", "file")
        let request = try Self.make(parameters: ["z": [1, .bytes([0x21])], "a": ["c": nil, "b": "ä"]]) { form in
            try form.append(Data("d".utf8), name: "n")
            try form.append(Data("e".utf8), name: "m", fileName: "f.bin", mimeType: "a/b")
            try form.append(file: file, name: "auto")
            try form.append(file: file, name: "given", fileName: "g", mimeType: "c/d")
            try form.append(
                InputStream(data: Data("stream".utf8)), length: 6, name: "s", fileName: "t", mimeType: "e/f")
            try form.append(headers: ["X-Own": "1"], body: Data("own".utf8))
        }
        let field = { (name: String, value: String) in
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        let upload = { (name: String, file: String, type: String, value: String) in
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(file)\"\r\n"
                + "Content-Type: \(type)\r\n\r\n\(value)\r\n"
        }
        #expect(
            try Self.body(request) == field("a[b]", "ä") + field("a[c]", "") + field("z[]", "1") + field("z[]", "!")
                + field("n", "d") + upload("m", "f.bin", "a/b", "e") + upload("auto", "note.txt", "text/plain", "file")
                + upload("given", "g", "c/d", "file") + upload("s", "t", "e/f", "stream")
                + "--B\r\nX-Own: 1\r\n\r\nown\r\n--B--\r\n")
        let length = request.request.value(forHTTPHeaderField: "Content-Length")
        #expect(length == request.plan?.contentLength.map(String.init))
        #expect(request.request.httpBody == nil)
    }

    @Test("Two fields have AFNetworking's 183 bytes, and its boundary")
    func length() throws {
        let request = try Self.make { form in
            try form.append(Data("1".utf8), name: "a")
            try form.append(Data("2".utf8), name: "b")
        }
        #expect(request.request.value(forHTTPHeaderField: "Content-Length") == "183")
        let type = try #require(request.request.value(forHTTPHeaderField: "Content-Type"))
        #expect(type.wholeMatch(of: /multipart\/form-data; boundary=Boundary\+[0-9A-F]{16}/) != nil)
        let old = try Self.make(.exact, version: "2.1") { try $0.append(Data(), name: "a") }
        #expect(old.request.value(forHTTPHeaderField: "Content-Type")?.hasSuffix("=Boundary+0xAbCdEfGbOuNdArY") == true)
        let safe = try Self.make(version: "2.1") { try $0.append(Data(), name: "a") }
        #expect(safe.request.value(forHTTPHeaderField: "Content-Type")?.hasSuffix("GbOuNdArY") == false)
    }

    @Test("No parts leave the request as it was")
    func empty() throws {
        let request = try Self.make()
        #expect(request.plan == nil)
        #expect(request.request.httpBody == Data())
        #expect(request.request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(throws: FormworkError.self) { try request.write(to: URL(fileURLWithPath: "/dev/null")) }
        let json = try JSONRequestSerializer().multipartFormRequest(method: "PUT", url: "http://a.b/")
        #expect(json.request.httpBody == nil)
    }

    @Test("GET and HEAD are refused", arguments: ["GET", "HEAD"])
    func methods(method: String) {
        #expect(throws: FormworkError.self) {
            try HTTPRequestSerializer().multipartFormRequest(method: method, url: "http://a.b/")
        }
    }

    @Test("Names are escaped, or as AFNetworking has them")
    func names() throws {
        let construct: (inout MultipartFormBuilder) throws -> Void = { try $0.append(Data(), name: "a\"\r\nb") }
        #expect(try Self.body(Self.make(.safe, construct)).contains("name=\"a%22%0D%0Ab\""))
        #expect(try Self.body(Self.make(.exact, construct)).contains("name=\"a\"\r\nb\""))
        let headers: (inout MultipartFormBuilder) throws -> Void = {
            try $0.append(headers: ["X": "a\r\nY: b"], body: Data())
        }
        #expect(throws: FormworkError.self) { try Self.make(.safe, headers) }
        #expect(try Self.body(Self.make(.exact, headers)).contains("X: a\r\nY: b\r\n"))
    }

    @Test("A stream of another length than declared is an error, or sent under the declared length", arguments: [3, 9])
    func streams(declared: Int64) throws {
        let construct: (inout MultipartFormBuilder) throws -> Void = {
            try $0.append(
                InputStream(data: Data("stream".utf8)), length: declared, name: "s", fileName: "t", mimeType: "e/f")
        }
        let safe = try Self.make(.safe, construct)
        let error = #expect(throws: FormworkError.self) { try Self.body(safe) }
        #expect(error?.code == .lengthMismatch)
        let exact = try Self.make(.exact, construct)
        let body = try Self.body(exact)
        #expect(body.contains("\r\n\r\nstream\r\n--B--"))
        // The boundary is 24 bytes longer than `B`, twice.
        let length = body.utf8.count + 48 - 6 + Int(declared)
        #expect(exact.request.value(forHTTPHeaderField: "Content-Length") == "\(length)")
    }

    @Test("A stream that fails is an error, or its part ends there and the next one follows")
    func failingStream() throws {
        let construct: (inout MultipartFormBuilder) throws -> Void = { form in
            let stream = InputStream(url: URL(fileURLWithPath: "/nothing/here"))
            try form.append(stream, length: 4, name: "s", fileName: "t", mimeType: "e/f")
            try form.append(Data("next".utf8), name: "n")
        }
        #expect(throws: FormworkError.self) { try Self.body(Self.make(.safe, construct)) }
        #expect(try Self.body(Self.make(.exact, construct)).hasSuffix("\r\n\r\nnext\r\n--B--\r\n"))
    }

    @Test("No stream is an empty one")
    func noStream() throws {
        for compatibility in [Compatibility.safe, .exact] {
            let request = try Self.make(compatibility) {
                try $0.append(nil, length: 0, name: "s", fileName: "t", mimeType: "e/f")
            }
            #expect(try Self.body(request).hasSuffix("Content-Type: e/f\r\n\r\n\r\n--B--\r\n"))
        }
    }

    @Test("Files that can't be sent are refused when they are appended")
    func files() throws {
        for (url, reason) in [
            (try #require(URL(string: "http://a.b/c.txt")), "Expected URL to be a file URL"),
            (self.folder["missing"], "File URL not reachable."),
        ] {
            let error = #expect(throws: RequestSerializationError.self) {
                try Self.make { try $0.append(file: url, name: "f") }
            }
            #expect(error?.code == .badURL)
            #expect(error?.reason == reason)
        }
        #expect(throws: FormworkError.self) { try Self.make { try $0.append(file: self.folder.url, name: "f") } }
    }

    @Test("A file that changed since is an error, or sent under its old length")
    func changedFile() throws {
        for compatibility in [Compatibility.safe, .exact] {
            let file = try self.folder.file("f.txt", "four")
            let body = { () throws -> (String, String?) in
                let request = try Self.make(compatibility) { form in
                    try form.append(file: file, name: "f")
                    _ = try self.folder.file("f.txt", "longer")
                }
                return (try Self.body(request), request.request.value(forHTTPHeaderField: "Content-Length"))
            }
            guard compatibility == .exact else {
                #expect(throws: FormworkError.self) { try body() }
                continue
            }
            let (text, length) = try body()
            #expect(text.contains("\r\n\r\nlonger\r\n--B--"))
            #expect(length == "\(text.utf8.count + 48 - 2)")
        }
    }

    @Test("A body is throttled")
    func throttle() throws {
        let request = try Self.make { form in
            try form.append(Data(), name: "n")
            form.throttle()
        }
        #expect(request.options.reading.rateLimit == RateLimit(packet: 16_384, delay: .milliseconds(200)))
        let own = try Self.make { $0.throttle(packetSize: 7, delay: .seconds(1)) }
        #expect(own.options.reading.rateLimit == RateLimit(packet: 7, delay: .seconds(1)))
    }

    @Test("A file part of AFNetworking's is opened anew by each reader, and has a length")
    func replayableFile() throws {
        let file = try self.folder.file("f.txt", "four")
        let request = try Self.make(.exact) { form in
            try form.append(file: file, name: "f")
            try form.append(nil, length: 0, name: "s", fileName: "t", mimeType: "e/f")
        }
        let plan = try #require(request.plan)
        #expect(plan.replayBlocker == nil)
        let length = request.request.value(forHTTPHeaderField: "Content-Length")
        #expect(length != nil && length == plan.contentLength.map(String.init))
        let first = try plan.bytes(upTo: 1000)
        #expect(try plan.bytes(upTo: 1000) == first && first.count == plan.contentLength.map { Int($0) })
        #expect(try plan.makeReader(from: 150).collect(upTo: 1000) == Array(first[150...]))
        _ = try self.folder.file("f.txt", "FOUR")
        #expect(try Self.body(request).contains("\r\n\r\nFOUR\r\n"), "as it is when it is read")
        _ = try self.folder.file("f.txt", "fourteen")
        #expect(try Self.body(request).contains("\r\n\r\nfour\r\n"), "as long as it was")
        _ = try self.folder.file("f.txt", "4")
        let error = #expect(throws: FormworkError.self) { try Self.body(request) }
        #expect(error?.code == .lengthMismatch && error?.path == file.path && error?.part?.name == "f")
        try FileManager.default.removeItem(at: file)
        #expect(throws: FormworkError.self) { try Self.body(request) }
    }

    @Test("A file that is gone when the request is made is empty to AFNetworking")
    func goneFile() throws {
        let file = try self.folder.file("f.txt", "four")
        let make = { (compatibility: Compatibility) in
            _ = try self.folder.file("f.txt", "four")
            return try Self.make(compatibility) { form in
                try form.append(file: file, name: "f")
                try FileManager.default.removeItem(at: file)
                try form.append(Data("next".utf8), name: "n")
            }
        }
        let body = try Self.body(make(.exact))
        #expect(body.contains("Content-Type: text/plain\r\n\r\n\r\n--B\r\n") && body.hasSuffix("next\r\n--B--\r\n"))
        #expect(throws: FormworkError.self) { try make(.safe) }
    }

    @Test("The type of an extension is the settings' before the table's")
    func mediaTypes() throws {
        let files = try ["ca.cer", "CA.CER", "a.txt", "a.own"].map { try self.folder.file($0, "") }
        for compatibility in [Compatibility.safe, .exact] {
            var serializer = HTTPRequestSerializer(
                settings: RequestSettings(compatibility: compatibility, headers: [:]))
            serializer.settings.mediaTypes["own"] = "application/x-own"
            let request = try serializer.multipartFormRequest(method: "POST", url: "http://a.b/") { form in
                for file in files { try form.append(file: file, name: "f") }
            }
            let types = try Self.body(request).split(separator: "\r\n").filter { $0.hasPrefix("Content-Type: ") }
            #expect(
                types == [
                    "Content-Type: application/x-x509-ca-cert", "Content-Type: application/x-x509-ca-cert",
                    "Content-Type: text/plain", "Content-Type: application/x-own",
                ])
        }
    }

    @Test("What was asked of a request goes with it to a server, into a stream and into a file")
    func waysOut() async throws {
        let server = try UploadServer(["/": [.status(201)]])
        for compatibility in [Compatibility.safe, .exact] {
            let settings = RequestSettings(compatibility: compatibility, headers: [:])
            let file = try self.folder.file("f", String(repeating: "x", count: 5000))
            var upload = try HTTPRequestSerializer(settings: settings)
                .multipartFormRequest(method: "POST", url: server.url("/")) { form in
                    try form.append(file: file, name: "f")
                    form.throttle(packetSize: 500, delay: .microseconds(1))
                }
            // Packets show in the steps of the progress: no time has to be taken.
            let steps = Steps()
            upload.options.reading.progress = { steps.add($0.sent) }
            upload.options.reading.progressInterval = .zero
            let length = Int64(try #require(upload.request.value(forHTTPHeaderField: "Content-Length")))

            let (_, response) = try await URLSession(configuration: .ephemeral).upload(upload)
            let sent = try #require(server.requests.last)
            #expect(response.statusCode == 201 && sent.isWhole && Int64(sent.count) == length)
            #expect(sent.body == (try await #require(upload.plan).bytes(upTo: 10_000)))
            #expect(sent.fields("Content-Length").count == 1 && sent.fields("Transfer-Encoding") == [])
            #expect(steps.take(length))

            let request = upload
            _ = try await URLSession(configuration: .ephemeral).data(for: request.streamingRequest())
            #expect(try #require(server.requests.last).body == sent.body && steps.take(length))

            let stream = try #require(upload.streamingRequest().httpBodyStream as? BodyInputStream)
            stream.open()
            #expect(drain(stream) == sent.body && steps.take(length))

            _ = try upload.write(to: self.folder["body"])
            #expect(try Array(Data(contentsOf: self.folder["body"])) == sent.body && steps.take(length))
        }
    }

    @Test("A form without parts is sent as its request is")
    func sendingNothing() async throws {
        let server = try UploadServer([
            "/a": [.status(303, ["Location: /b"])], "/b": [.status(200)], "/c": [.status(307, ["Location: /d"])],
            "/d": [.status(204)],
        ])
        let session = URLSession(configuration: .ephemeral)
        for (path, lines, status) in [
            ("/a", ["POST /a HTTP/1.1", "GET /b HTTP/1.1"], 200),
            ("/c", ["POST /c HTTP/1.1", "POST /d HTTP/1.1"], 204),
        ] {
            let upload = try HTTPRequestSerializer().multipartFormRequest(method: "POST", url: server.url(path))
            #expect(upload.streamingRequest().httpBodyStream == nil)
            #expect(try await session.upload(upload).1.statusCode == status)
            let sent = server.requests.suffix(2)
            #expect(sent.map(\.line) == lines && sent.allSatisfy { $0.count == 0 })
            #expect(sent.last?.fields("Content-Type").isEmpty == (status == 200))
        }
    }

    @Test("Written to a file, whole or not at all")
    func write() throws {
        let request = try Self.make { try $0.append(Data("v".utf8), name: "n") }
        let file = try self.folder.file("body", "old")
        let sent = try request.write(to: file)
        #expect(sent.httpBody == nil)
        #expect(sent.httpBodyStream == nil)
        #expect(sent.value(forHTTPHeaderField: "Content-Length") == "\(try Data(contentsOf: file).count)")
        #expect(try Data(contentsOf: file) == Data(try #require(request.plan).bytes(upTo: 1000)))
        let short = try Self.make {
            try $0.append(InputStream(data: Data()), length: 5, name: "s", fileName: "t", mimeType: "e/f")
        }
        #expect(throws: FormworkError.self) { try short.write(to: self.folder["short"]) }
        #expect(self.folder.names == ["body"])
        let web = try #require(URL(string: "http://a.b/"))
        #expect(throws: RequestSerializationError.self) { try request.write(to: web) }
    }

    @Test("A parameter in an encoding that doesn't have it is an error, or left out")
    func encoding() throws {
        for compatibility in [Compatibility.safe, .exact] {
            var serializer = HTTPRequestSerializer(
                settings: RequestSettings(compatibility: compatibility, headers: [:]))
            serializer.stringEncoding = .isoLatin1
            let make = {
                try serializer.multipartFormRequest(
                    method: "POST", url: "http://a.b/", parameters: ["a": "汉", "b": "ä"])
            }
            guard compatibility == .exact else {
                #expect(throws: FormworkError.self) { try make() }
                continue
            }
            let bytes = try #require(try make().plan).bytes(upTo: 1000)
            #expect(bytes.count { $0 == 0xE4 } == 1)
        }
    }
}

/// How far a body was after each of its reader's steps.
private final class Steps: Sendable {
    private let positions = Mutex<[Int64]>([])

    func add(_ position: Int64) { self.positions.withLock { $0.append(position) } }

    /// Whether a body of this length came in packets of 500 bytes at most; forgets it.
    func take(_ length: Int64?) -> Bool {
        self.positions.withLock { positions in
            defer { positions = [] }
            let steps = zip(positions, [0] + positions).map { $0 - $1 }
            return positions.last == length && positions.count > 10 && steps.allSatisfy { $0 <= 500 }
        }
    }
}
