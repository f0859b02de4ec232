@testable import FormworkCore
import Testing

/// Published bodies and types on which a parser ended its process, or never came back.
@Suite("Advisories: crashes and hangs", .timeLimit(.minutes(10))) struct CrashAdvisoryTests {
    @Test(
        "CVE-2022-24434, GHSA-wm7h-9275-46v2: names that are members of objects elsewhere are names",
        arguments: ["__proto__", "constructor", "hasOwnProperty"])
    func objectMembers(_ name: String) throws {
        let parsed = try parser("b").parse(
            "--b\r\nContent-Disposition: form-data; name=\(name); filename=\"\(name)\"\r\n\(name): x\r\n\r\n\r\n--b--"
        )
        let header = try #require(parsed.parts.first?.header)
        #expect(header.name == name && header.filename == name && header.values(of: name) == ["x"])
    }

    @Test(
        "A table of 128 entries: every byte at every place of a header line gives a part or an error, however it is cut"
    )
    func everyByte() throws {
        let body = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\nX: y\r\n\r\nv\r\n--b--\r\n".utf8)
        for profile in [ParsingProfile.default, .lenient] {
            let parser = try parser("b", profile)
            for place in 5..<(body.count - 12) {
                for byte in UInt8.min...UInt8.max {
                    var changed = body
                    changed[place] = byte
                    let whole = parser.parse(changed)
                    #expect(whole.failure != nil || whole.parts.count == 1)
                    guard place % 8 == Int(byte % 8) else { continue }
                    #expect(parser.parse(changed, chunk: 1) == whole, "byte \(byte) at \(place)")
                }
            }
        }
    }

    @Test("actix 4024: a boundary of no bytes is an error, one of one or two is a boundary", arguments: 0...2)
    func shortBoundaries(_ count: Int) throws {
        let boundary = String(repeating: "b", count: count)
        for type in ["multipart/form-data; boundary=\(boundary)", "multipart/form-data; boundary=\"\(boundary)\""] {
            guard count > 0 else {
                #expect(failure(of: { _ = try MultipartParser(contentType: type) })?.kind == .invalidBoundaryParameter)
                continue
            }
            let parser = try MultipartParser(contentType: type)
            let content = Array("\r\n--\r\n-\r\n--a".utf8)
            let body = formBody(content, boundary: boundary)
            #expect(parser.parse(body).parts.map(\.content) == [content])
            #expect(parser.parse(body, chunk: 1) == parser.parse(body))
        }
    }

    @Test(
        "actix 4024: a prefix of a body gives a prefix of its parts, and an error unless the close delimiter is there")
    func prefixes() throws {
        for row in ParseVector.all {
            guard let parser = try? row.makeParser() else { continue }
            let body = row.body.prefix(3000)
            let whole = parser.parse(Array(body))
            // A parser is a value: its copy may end where the original goes on.
            var open = parser
            var ended = 0
            feeding: for index in body.indices {
                var position = index
                while true {
                    do throws(FormworkError) {
                        let event = try open.next(in: body[index...index], from: &position)
                        if case .needsInput = event { break }
                        if case .partEnded = event { ended += 1 }
                    } catch {
                        #expect(error.parsingFailure?.kind == whole.failure?.kind, "\(row.name) at \(index)")
                        break feeding
                    }
                }
                var copy = open
                do throws(FormworkError) {
                    try copy.finish()
                    // Lenient, a form may end behind every delimiter.
                    let isWhole = ended == whole.parts.count(where: \.isWhole) || row.profile == "lenient"
                    #expect(isWhole, "\(row.name) ends at \(index) after \(ended) parts")
                } catch {
                    #expect(error.code == .truncatedBody, "\(row.name) at \(index)")
                }
            }
        }
    }

    @Test("leptos 4718: a malformed Content-Type is an error, never a trap")
    func contentTypes() throws {
        var generator = SplitMix64(seed: 11)
        let pieces = [
            "multipart/", "form-data", ";", "boundary", "=", "\"", "\\", "a", " ", "\r\n", "\0", "é", ",", "", "-",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }
            .joined()
            for profile in [ParsingProfile.default, .generic] {
                do throws(FormworkError) {
                    _ = try MultipartParser(contentType: text, profile: profile)
                } catch {
                    #expect(error.parsingFailure != nil)
                }
            }
        }
    }

    @Test(
        "CVE-2023-27371, CVE-2021-3466: a boundary with what no line may hold is refused",
        arguments: [
            "\"a\0b\"", "\"a\r\nb\"", "\"a\rb\"", "\"a\nb\"", "\"a \"", "\"\"", "é", "a b", "", "\" \"", "\u{7F}",
        ])
    func boundaries(_ value: String) {
        #expect(failure(of: { _ = try parser(value) })?.kind == .invalidBoundaryParameter)
    }

    @Test(
        "CVE-2025-47935, CVE-2025-47944, CVE-2025-7338: a malformed body is an error that is thrown, nothing else",
        arguments: [
            ("--b\r\n\r\n\r\n--b--", .missingContentDisposition),
            ("--b\r\nContent-Disposition: form-data\r\n\r\n\r\n--b--", .missingName),
            ("--b\r\nContent-Disposition\r\n\r\n\r\n--b--", .malformedHeader), ("--b--x", .malformedBoundaryLine),
            ("", .unexpectedEnd), ("--b", .unexpectedEnd), ("x\r\n--b--", .noPartsAfterPreamble),
        ] as [(String, ParsingFailure.Kind)])
    func malformed(_ body: String, _ kind: ParsingFailure.Kind) throws {
        let parser = try parser("b")
        let whole = parser.parse(body)
        #expect(whole.failure?.kind == kind)
        #expect(parser.parse(Array(body.utf8), chunk: 1) == whole)
    }

    @Test(
        """
        CVE-2025-48997, CVE-2026-2359, CVE-2026-3304, CVE-2026-5079, CVE-2026-77063, CVE-2026-77078: an empty, a deep and \
        a numeric name are text, and nothing is built of them
        """,
        arguments: ["", String(repeating: "[a]", count: 300), "a[4294967295]", "a[-1]", "[", "]", "a[b"])
    func names(_ name: String) throws {
        let parsed = try parser("b").parse("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\nv\r\n--b--")
        #expect(parsed.failure == nil && parsed.parts.map(\.header.name) == [name])
    }

    @Test("CVE-2024-30251, CVE-2018-16789, abonander/multipart 104: every truncation is an error, and says where")
    func truncation() throws {
        let body = formBody(Array("value".utf8))
        for count in 0..<(body.count - 2) {
            let parsed = try parser().parse(Array(body[..<count]))
            #expect(parsed.failure?.kind == .unexpectedEnd && parsed.failureOffset == Int64(count))
        }
        var parser = try parser()
        let error = try #require(throws: FormworkError.self) { try parser.finish() }
        #expect(error.code == .truncatedBody)
        #expect(
            error.message == "The body ended after 0 bytes, without a line --boundary: is this the body's boundary?")
    }

    @Test("fastify-multipart 594: an error comes from the call that meets it, and what stood before it was told")
    func errorsComeFromTheirCall() throws {
        let body = Array("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nv\r\n--b\r\nno colon\r\n\r\n".utf8)
        var parser = try parser("b")
        var position = 0
        #expect(try parser.next(in: body, from: &position).isPartBegan)
        #expect(try parser.next(in: body, from: &position) == .content(47..<48))
        #expect(try parser.next(in: body, from: &position) == .partEnded)
        #expect(failure(of: { _ = try parser.next(in: body, from: &position) })?.kind == .malformedHeader)
    }

    @Test("CVE-2013-2186: no NUL gets into a filename")
    func nul() throws {
        for value in ["filename=\"a\0.png\"", "filename=a\0", "filename*=UTF-8''\0"] {
            let parsed = try parser("b").parse(
                "--b\r\nContent-Disposition: form-data; name=a; \(value)\r\n\r\n\r\n--b--")
            #expect(parsed.failure?.kind == .malformedHeader && parsed.parts.isEmpty)
        }
        let escaped = try parser("b").parse(
            "--b\r\nContent-Disposition: form-data; name=a; filename*=UTF-8''x.php%00.png\r\n\r\n\r\n--b--")
        #expect(escaped.parts.map(\.header.filename) == [nil] && escaped.parts.map(\.header.isFile) == [true])
    }

    @Test("CVE-2017-5638: an error's text has a bounded piece of what was sent, and no control character")
    func errorText() throws {
        for type in [
            "multipart/form-data\u{1B}[2J\r\n; x=%{(#a)}", "%{(#_='multipart/form-data')}",
            "multipart/form-data; boundary=\(String(repeating: "${x}", count: 10_000))", "multipart/form-data; %n%s",
        ] {
            let error = try #require(throws: FormworkError.self) { try MultipartParser(contentType: type) }
            #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
            #expect(error.description.utf8.count < 200 && !error.description.contains("%"))
        }
        let body = "--b\r\nContent-Disposition: %{(#a)}\u{1B}\(String(repeating: "x", count: 5000))\r\n\r\n"
        let parsed = try parser("b").parse(body)
        let failure = try #require(parsed.error)
        #expect(failure.description.utf8.count < 200 && !failure.description.contains("%"))
    }
}
