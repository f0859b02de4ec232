@testable import Formwork
@testable import FormworkMagic
import Foundation
import Testing

@Suite("libmagic", .timeLimit(.minutes(10)))
struct MagicTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]

    @Test("A database that can't be loaded is told once and for all, and names go on deciding")
    func noDatabase() throws {
        let magic = LibMagic(database: "/nonexistent/magic.mgc")
        #expect(magic.failure == nil)
        let auto = MediaTypeDetection.auto(magic: magic)
        let choice = auto.choice(forFilename: "a.css", head: Self.png)
        #expect(choice == MediaTypeChoice("text/css", by: .extension, reason: "extension .css"))
        let failure = try #require(magic.failure)
        #expect(failure.code == .sourceUnavailable)
        #expect(failure.message.contains("database can't be loaded") && failure.path == "/nonexistent/magic.mgc")
        #expect(auto.choice(forFilename: "a", head: Self.png).mediaType == "application/octet-stream")
        #expect(throws: FormworkError.self) { try magic.mediaType(of: Self.png) }
    }

    @Test("A failure may pass, and libmagic is opened again")
    func laterDatabase() throws {
        let path = "/tmp/formwork-\(UInt64.random(in: .min ... .max)).magic"
        let magic = LibMagic(database: path, retryTime: .zero)
        #expect(throws: FormworkError.self) { try magic.mediaType(of: Array("FORM".utf8)) }
        #expect(magic.failure != nil)
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        defer { _ = try? FileManager.default.removeItem(atPath: path) }
        try file.closeAfter { _ = try file.writeAll("0\tstring\tFORM\ta form\n!:mime\tapplication/x-form\n".utf8) }
        #expect(try magic.mediaType(of: Array("FORM".utf8)) == "application/x-form")
        #expect(magic.failure == nil)
    }

    @Test("Closing idle handles releases the database, and the next call opens it again")
    func closing() throws {
        let path = "/tmp/formwork-\(UInt64.random(in: .min ... .max)).magic"
        let magic = LibMagic(database: path, retryTime: .zero)
        let rule = "0\tstring\tFORM\ta form\n!:mime\tapplication/x-form\n"
        try rule.write(toFile: path, atomically: false, encoding: .utf8)
        defer { _ = try? FileManager.default.removeItem(atPath: path) }
        #expect(try magic.mediaType(of: Array("FORM".utf8)) == "application/x-form")
        let other = rule.replacing("x-form", with: "x-other")
        try other.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try magic.mediaType(of: Array("FORM".utf8)) == "application/x-form", "the database is kept")
        magic.closeIdle()
        #expect(try magic.mediaType(of: Array("FORM".utf8)) == "application/x-other")
    }

    @Test("Types are libmagic's own words; a charset only where asked, and for text")
    func words() throws {
        #expect(try LibMagic.shared.mediaType(of: Self.png) == "image/png")
        #expect(try LibMagic.shared.mediaType(of: Array("häh\n".utf8), charset: true) == "text/plain; charset=utf-8")
        let plain = MediaTypeDetection.auto.choice(forFilename: "a.txt", head: Array("häh\n".utf8))
        #expect(plain.mediaType == "text/plain")
        let auto = MediaTypeDetection.auto(charset: true)
        #expect(auto.choice(forFilename: "a.txt", head: Array("häh\n".utf8)).mediaType == "text/plain; charset=utf-8")
        #expect(
            auto.choice(forFilename: "a.css", head: [0x61, 0xE9, 0x0A]).mediaType == "text/css; charset=iso-8859-1")
        #expect(auto.choice(forFilename: "a.png", head: Self.png).mediaType == "image/png")
    }

    @Test("HTML is called no picture, whatever its name says; SVG is, and so is what has no markup's head")
    func markup() {
        func type(_ text: String) -> String? {
            MediaTypeDetection.auto.choice(forFilename: "a.svg", head: Array(text.utf8)).mediaType
        }
        #expect(type("<!DOCTYPE html><html><body><script>alert(1)</script></body></html>") == "text/html")
        #expect(type("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>") == "image/svg+xml")
        #expect(type("<!-- drawn by hand --><svg></svg>") == "image/svg+xml")
    }

    @Test("A stream's head is looked at and sent all the same", arguments: [1, 1000, 100_000])
    func streams(size: Int) throws {
        let content = Self.png + [UInt8](repeating: 7, count: size)
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")), types: .auto)
        form.append(name: "s", source: .stream(once: Chunks(content), length: Int64(content.count)), filename: "x.txt")
        form.append(name: "r", source: .stream { Chunks(Array(content[Int($0)...])) }, filename: "y")
        form.append(
            name: "c", source: .concatenation([.bytes(Array(content[..<5])), .bytes(Array(content[5...]))]),
            filename: "z")
        // Planned twice: what the first plan looked at is still there for the second.
        _ = try form.plan()
        let plan = try form.plan()
        #expect(
            plan.layout.compactMap(\.contentType?.mediaType)
                == [String](repeating: "image/png", count: plan.layout.count - 1))
        let body = try plan.bytes(upTo: 1 << 20)
        #expect(body.count == 3 * (content.count) + 281)
        #expect(body.indices.filter { body[$0...].starts(with: content) }.count == 3)
    }

    @Test(
        "A stream without a length is looked at when its turn comes, and planning waits for nobody",
        arguments: [1, 70_000])
    func deferred(size: Int) throws {
        let content = Self.png + [UInt8](repeating: 7, count: size)
        var inner = FormData(framing: MultipartFraming(boundary: try Boundary("i"), subtype: "mixed"))
        inner.append(name: "s", source: .stream(once: Chunks(content)), filename: "x.txt")
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")), types: .auto)
        form.append(name: "a", value: "1")
        form.append(BodyPart(name: "m", multipart: inner))
        let plan = try form.plan()
        #expect(plan.contentLength == nil)
        #expect(plan.lengthBlocker?.description == "part 2.1 \"s\": a stream without a declared length")
        #expect(plan.replayBlocker?.description == "part 2.1 \"s\": a stream can be read only once")
        #expect(plan.layout[3].kind == .stream("a stream") && plan.layout[3].contentType?.mediaType == nil)
        let reader = plan.makeReader()
        let first = try reader.read(upTo: 1 << 20)
        let head = """
            --b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="m"\r\n\
            Content-Type: multipart/mixed; boundary=i\r\n\r\n
            """
        #expect(String(decoding: first, as: UTF8.self) == head, "what is there is given before anybody waits")
        let rest = try reader.collect(upTo: 1 << 20)
        let innerHead =
            "--i\r\nContent-Disposition: form-data; name=\"s\"; filename=\"x.txt\"\r\nContent-Type: image/png\r\n\r\n"
        #expect(rest == Array(innerHead.utf8) + content + Array("\r\n--i--\r\n\r\n--b--\r\n".utf8))
    }

    @Test(
        "A format with the signature of another one keeps the type of its name",
        arguments: [
            ("a.wma", "3026b2758e66cf11a6d900aa0062ce6c", "audio/x-ms-wma"),
            ("a.wmv", "3026b2758e66cf11a6d900aa0062ce6c", "video/x-ms-wmv"),
            ("a.asf", "3026b2758e66cf11a6d900aa0062ce6c", "application/vnd.ms-asf"),
            ("a", "3026b2758e66cf11a6d900aa0062ce6c", "video/x-ms-asf"),
            ("a.dng", "49492a0008000000010000010300010000000a000000", "image/x-adobe-dng"),
            ("a.nef", "4d4d002a00000008000000000000", "image/x-nikon-nef"),
            ("a.arw", "49492a0008000000000000000000", "image/x-sony-arw"),
            ("a.tif", "49492a0008000000000000000000", "image/tiff"),
            ("a.apng", "89504e470d0a1a0a0000000d49484452000000010000000108020000009077", "image/apng"),
            ("a.cbr", "526172211a07010033", "application/vnd.comicbook-rar"),
            ("a.pgm", "50350a3220320a3235350a61626364", "image/x-portable-graymap"),
            ("a", "50350a3220320a3235350a61626364", "image/x-portable-graymap"),
            ("a.dng", "89504e470d0a1a0a0000000d49484452000000010000000108020000009077", "image/png"),
        ])
    func precise(name: String, content: String, type: String) throws {
        let bytes = stride(from: 0, to: content.count, by: 2).map { offset in
            UInt8(content.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
        #expect(try MediaTypeDetection.auto.choice(of: .bytes(bytes), filename: name).mediaType == type)
    }

    @Test("Sequences are looked into once when planned, and their files typed")
    func sequences() throws {
        let png = Self.png
        for isMeasured in [true, false] {
            var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")), types: .auto)
            form.append(
                PartSequence(count: 3000, isMeasured: isMeasured) { index in
                    BodyPart(name: "f", source: .bytes(index % 2 == 0 ? png : Array("text\n".utf8)), filename: "x.jpg")
                })
            let plan = try form.plan()
            let bytes = try plan.bytes(upTo: 1 << 20)
            let body = String(decoding: bytes, as: Unicode.ASCII.self)
            #expect(body.components(of: "Content-Type: image/png") == 1500)
            #expect(body.components(of: "Content-Type: text/plain") == 1500)
            guard isMeasured, let length = plan.contentLength else { continue }
            let rest = try plan.makeReader(from: length - 200_000).collect(upTo: 1 << 20)
            #expect(rest == Array(bytes.suffix(200_000)))
        }
    }

    private final class Chunks: ByteStream {
        private var rest: ArraySlice<UInt8>
        init(_ bytes: [UInt8]) { self.rest = bytes[...] }
        func read(into buffer: inout MutableRawSpan) throws -> Int {
            let count = min(self.rest.count, 700, buffer.byteCount)
            for index in 0..<count {
                buffer.storeBytes(of: self.rest[self.rest.startIndex + index], toByteOffset: index, as: UInt8.self)
            }
            self.rest.removeFirst(count)
            return count
        }
    }
}

extension String {
    fileprivate func components(of text: String) -> Int {
        self.split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
