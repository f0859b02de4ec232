import Formwork
@testable import FormworkCore
import TestSupport
import Testing

/// A body in memory, one that arrives in a chunk and one that is cut anywhere are read by the same code, which stops at
/// other places in it.
@Suite("Whole bodies and cut ones", .timeLimit(.minutes(10)))
struct WholeBodyTests {
    private static let type = "multipart/form-data; boundary=b"

    /// The texts and files of a form, or its error without the probable cause, which depends on the bytes read so far.
    private struct Outcome: Equatable, CustomStringConvertible {
        var parts: [String] = []
        var error = ""
        var description: String { "\(self.parts) \(self.error)" }

        init(_ form: () async throws -> ReceivedForm) async throws {
            do {
                for entry in try await form() {
                    let content = try await entry.content.bytes(upTo: 1 << 20)
                    self.parts.append(
                        "\(entry.name ?? "-") \(entry.filename ?? "-") \(entry.charset ?? "-") \(content)")
                }
            } catch let error as FormworkError {
                let message = error.message.prefix { $0 != ";" }
                self.error = "\(error.code) \(error.offset ?? -1) \(error.part?.index ?? -1) \(message)"
            }
        }
    }

    private static let tokens = [
        "--b\r\n", "\r\n--b\r\n", "\r\n--b--\r\n", "\r\n--b--", "\r\n--b", "--", "\r\n", "\r", "\n", "-", "b",
        "Content-Disposition: form-data; name=\"a\"\r\n\r\n", "Content-Disposition: form-data; name=_charset_\r\n\r\n",
        "Content-Disposition: form-data; name=\"f\"; filename=\"n\"\r\n\r\n", "latin1", "0123456789",
        "Content-Disposition: form-data; name=f; filename*=UTF-8''x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n",
        "Content-Type: text/plain\r\n", "X: y\r\n", "\u{E9}", " ", "\t",
    ]

    /// A body that is a form more often than not: random tokens rarely are.
    private static func body(_ generator: inout SplitMix64) -> [UInt8] {
        var text = ""
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            text += "--b\r\n" + (Self.tokens[11...13].randomElement(using: &generator) ?? "")
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                text += Self.tokens.randomElement(using: &generator) ?? ""
            }
            text += "\r\n"
        }
        return Array((text + (Bool.random(using: &generator) ? "--b--\r\n" : "")).utf8)
    }

    @Test("Bodies of random tokens give the same form or the same error", arguments: 0..<60)
    func random(seed: Int) async throws {
        let folder = TemporaryFolder()
        var memory = CollectingLimits()
        (memory.fileMemoryBytes, memory.folder) = (4, folder.path)
        var limits = ParsingLimits.default
        (limits.fields, limits.fileBytes) = (3, 25)
        var generator = SplitMix64(seed: UInt64(seed))
        for round in 0..<20 {
            let body = Self.body(&generator)
            let whole = try await Outcome { try ReceivedForm(body, contentType: Self.type, limits: limits) }
            for size in [1, 2, 7, 40, max(1, body.count)] {
                let chunks = stride(from: 0, to: body.count, by: size).map { Array(body[$0...].prefix(size)) }
                let cut = try await Outcome {
                    try await ReceivedForm(
                        collecting: ChunkSource(chunks), contentType: Self.type, limits: limits, memory: memory)
                }
                #expect(cut == whole, "seed \(seed), round \(round), chunks of \(size)")
            }
        }
        #expect(folder.names == [])
    }

    @Test("A form is collected by its type, and its announced length counts")
    func byType() async throws {
        let type = "Application/X-WWW-Form-URLencoded ; charset=utf-8"
        func collect(_ length: Int64?, upTo bytes: Int64 = 100) async throws -> ReceivedForm {
            var limits = ParsingLimits.default
            limits.totalBytes = bytes
            let body = ChunkSource("a=1&b=x+y", every: 2)
            defer { if bytes < 9, length != nil { #expect(body.log.pulled == 0) } }
            return try await ReceivedForm(collecting: body, contentType: type, contentLength: length, limits: limits)
        }
        #expect(try await collect(nil)["b"] == "x y")
        #expect(try await collect(9).map(\.name) == ["a", "b"])
        await expect(.truncatedBody) { try await collect(10) }
        await expect(.limitExceeded) { try await collect(9, upTo: 8) }
        await expect(.limitExceeded) { try await collect(nil, upTo: 8) }
        let multipart = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n"
        let body = ChunkSource(multipart, every: 3)
        #expect(try await ReceivedForm(collecting: body, contentType: Self.type, contentLength: 60)["a"] == "1")
        await expect(.malformedBody) { try await ReceivedForm(collecting: body, contentType: nil) }
    }

    @Test("Fields are found by the bytes of their names, however these are written")
    func names() throws {
        func form(_ disposition: String, _ profile: ParsingProfile = .default) throws -> ReceivedForm {
            var bytes = Array("--b\r\nContent-Disposition: form-data; ".utf8)
            bytes += disposition.unicodeScalars.map { UInt8($0.value) } + Array("\r\n\r\n1\r\n--b--\r\n".utf8)
            return try ReceivedForm(bytes, contentType: Self.type, profile: profile)
        }
        #expect(try form("name=\"a\"")["a"] == "1")
        #expect(try form("name=\"a\"")["A"] == nil)
        #expect(try form("name=\"\"")[""] == "1")
        #expect(try form("name=\"\"")["a"] == nil)
        #expect(try form("name=\"\\\"a\"")["\"a"] == "1")
        #expect(try form("name*=UTF-8''%61")["a"] == "1")
        #expect(try form("name*=ISO-8859-1''%E9")["\u{E9}"] == "1")
        // A byte that isn't UTF-8 is read as three.
        #expect(try form("name=\"a\u{E9}\"")["a\u{FFFD}"] == "1")
        #expect(try form("name=\"\u{E9}\"")["\u{FFFD}"] == "1")
        var profile = ParsingProfile.default
        profile.decodesPercentEscapes = true
        #expect(try form("name=\"%22a\"", profile)["\"a"] == "1")
        #expect(try form("name=\"%22a\"")["%22a"] == "1")
    }
}
