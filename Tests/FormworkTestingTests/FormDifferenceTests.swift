import FormworkTesting
import Testing

@Suite("How a form differs from the one expected", .timeLimit(.minutes(10)))
struct FormDifferenceTests {
    private static let expected = FormData()
        .appending(name: "title", value: "Harbour at dawn")
        .appending(name: "photo", source: .bytes([1, 2, 3, 0xFF]), filename: "a.jpg")

    private func difference(_ actual: FormData, _ expected: FormData = Self.expected) async throws -> FormDifference? {
        do {
            try await expectForm(ObservedForm(actual.plan()), equals: expected)
            return nil
        } catch let difference as FormDifference {
            return difference
        }
    }

    private func lines(_ actual: FormData, _ expected: FormData = Self.expected) async throws -> [String] {
        try await self.difference(actual, expected)?.findings.map(\.description) ?? []
    }

    @Test("The same form with another boundary doesn't differ")
    func equal() async throws {
        let other = FormData(Self.expected.parts ?? [], framing: MultipartFraming(boundary: try Boundary("other")))
        #expect(try await self.difference(other) == nil)
        #expect(try await self.difference(FormData(), FormData()) == nil)
    }

    @Test("Text differs at an offset, and both are shown")
    func text() async throws {
        let actual = FormData().appending(name: "title", value: "Harbour at dusk, 1890 and 1891")
            .appending(name: "photo", source: .bytes([1, 2, 3, 0xFE]), filename: "a.jpg")
        let difference = try #require(try await self.difference(actual))
        #expect(
            difference.description == """
                The form is not the one expected:
                part 1 "title": the content differs from offset 12 on: "…our at dusk, 1890 and 1891", expected "…our at \
                dawn"; it has 30 bytes, expected 15
                part 2 "photo": the content differs from offset 3 on: fe, expected ff
                """)
        #expect(difference.findings.map(\.offset) == [12, 3])
        #expect(difference.findings.map(\.part.name) == ["title", "photo"])
    }

    @Test("Longer or shorter content differs at its end")
    func lengths() async throws {
        let short = FormData().appending(name: "a", value: "abc")
        let long = FormData().appending(name: "a", value: "abcd")
        #expect(
            try await self.lines(short, long)
                == [
                    "part 1 \"a\": the content differs from offset 3 on: its end, expected \"abcd\"; it has 3 bytes, expected 4"
                ])
        #expect(
            try await self.lines(long, short)
                == [
                    "part 1 \"a\": the content differs from offset 3 on: \"abcd\", expected its end; it has 4 bytes, expected 3"
                ])
    }

    @Test("Names, filenames and types are named")
    func headers() async throws {
        #expect(
            try await self.lines(
                FormData().appending(name: "headline", value: "Harbour at dawn")
                    .appending(name: "photo", source: .bytes([1, 2, 3, 0xFF]), filename: "b.png"))
                == [
                    "part 1 \"title\": the name is \"headline\", expected \"title\"",
                    "part 2 \"photo\": the filename is \"b.png\", expected \"a.jpg\"",
                    "part 2 \"photo\": Content-Type is \"image/png\", expected \"image/jpeg\"",
                ])
        #expect(
            try await self.lines(
                FormData().appending(name: "a", value: "1"),
                FormData().appending(name: "a", value: "1", contentType: "text/x"))
                == ["part 1 \"a\": Content-Type is not given, expected \"text/x\""])
    }

    @Test func `Two spellings of a letter are two names`() async throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        #expect(
            try await self.lines(
                FormData().appending(name: two, value: "1"), FormData().appending(name: one, value: "1"))
                == ["part 1 \"\u{E9}\": the name is \"e\\u{0301}\", expected \"\\u{00E9}\""])
        #expect(
            try await self.lines(
                FormData().appending(name: "a", source: .text("1"), filename: two),
                FormData().appending(name: "a", source: .text("1"), filename: one))
                == ["part 1 \"a\": the filename is \"e\\u{0301}\", expected \"\\u{00E9}\""])
        let form = try await ObservedForm(FormData().appending(name: two, value: "1").plan())
        #expect(form[two]?.text == "1" && form[one] == nil)
    }

    @Test("Parts that are missing, or too many, are named")
    func parts() async throws {
        let one = FormData().appending(name: "title", value: "Harbour at dawn")
        #expect(try await self.lines(one) == ["part 2 \"photo\": is missing: only 1 part came"])
        #expect(
            try await self.lines(Self.expected, one) == ["part 2 \"photo\": was not expected: the form has 1 part"])
        let many = FormData((0..<20).map { BodyPart(name: "n\($0)", value: "") })
        let description = try #require(try await self.difference(many, FormData())).description
        #expect(description.hasSuffix("part 12 \"n11\": was not expected: the form has 0 parts\nand 8 more"))
    }

    @Test("In content that isn't kept, the place is known to 65,536 bytes", arguments: [0, 65_535, 65_536, 2_999_999])
    func large(place: Int) async throws {
        var bytes = [UInt8](repeating: 7, count: 3_000_000)
        let expected = FormData().appending(name: "video", source: .bytes(bytes), filename: "v.mp4")
        bytes[place] = 8
        let actual = FormData().appending(name: "video", source: .bytes(bytes), filename: "v.mp4")
        let finding = try #require(try await self.difference(actual, expected)?.findings.first)
        let offset: [Int: Int64] = [0: 0, 65_535: 0, 65_536: 65_536, 2_999_999: 2_949_120]
        #expect(finding.offset == offset[place])
        #expect(finding.message == "the content differs in the 65536 bytes from offset \(offset[place]!) on")
        let cut = FormData().appending(name: "video", source: .bytes(Array(bytes.prefix(2_000_000))), filename: "v.mp4")
        #expect(
            try await self.difference(cut, actual)?.findings.first?.offset == 1_966_080)
    }

    @Test("The printed text has no content")
    func descriptions() async throws {
        let form = try await ObservedForm(Self.expected.plan())
        #expect(
            form.description
                == "2 parts: field \"title\", 15 bytes; file \"photo\" (a.jpg, image/jpeg), 4 bytes")
    }

    @Test("A form that was collected is compared, files on disk too")
    func collected() async throws {
        let form = Self.expected.appending(
            name: "video", source: .synthetic(SyntheticBytes(.random(seed: 3), count: 2_000_000)), filename: "v.mp4")
        let plan = try await form.plan()
        let parts = try ReceivedParts(plan.chunks(of: 10_000), contentType: plan.contentType)
        var limits = CollectingLimits()
        limits.fileMemoryBytes = 1000
        let received = try await ReceivedForm(collecting: parts, limits: limits)
        try await expectForm(received, equals: form)
        await #expect(throws: FormDifference.self) { try await expectForm(received, equals: Self.expected) }
    }
}
