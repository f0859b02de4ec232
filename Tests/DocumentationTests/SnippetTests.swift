import Foundation
import Formwork
import FormworkFoundation
import FormworkMagic
import FormworkURLEncoded
import SystemPackage
import Testing

/// The checkout that this test was built from.
let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

@Suite("Documentation", .timeLimit(.minutes(10)))
struct SnippetTests {
    /// Lines without indentation, imports and blank lines. Where a framework is declared by the tests, no conformance to its
    /// protocols is retroactive.
    private func lines(_ text: some StringProtocol) -> [String] {
        self.allLines(text).filter { !$0.hasPrefix("import ") }.map { $0.replacing("@retroactive ", with: "") }
    }

    /// FoundationNetworking is Foundation's where background sessions and SwiftUI are.
    private func imports(_ text: some StringProtocol) -> Set<String> {
        Set(self.allLines(text).filter { $0.hasPrefix("import ") }).subtracting(["import FoundationNetworking"])
    }

    private func allLines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The fences of one language in a Markdown text.
    private func fences(_ language: String, in text: String) -> [Substring] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().map {
            $0.prefix(upTo: $0.range(of: "\n```")!.lowerBound)
        }
    }

    private func files(_ folder: String, _ pathExtension: String) -> [URL] {
        let folder = checkout.appendingPathComponent(folder)
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (names?.allObjects as? [URL] ?? []).filter { $0.pathExtension == pathExtension }
    }

    /// The examples of the tests. Those about NIO and servers are compiled with their traits alone.
    private func snippets() throws -> [(imports: Set<String>, text: String)] {
        try ["DocumentationTests", "FormworkNIOTests", "FormworkHummingbirdTests"]
            .flatMap { self.files("Tests/\($0)/Snippets", "swift") }
            .map { try String(contentsOf: $0, encoding: .utf8) }
            .map { text in
                // Where `plan()`, and others that block, have to be awaited.
                #expect(text.split(separator: "\n").allSatisfy { !$0.hasPrefix("func ") || $0.contains(" async ") })
                return (imports: self.imports(text), text: self.lines(text).joined(separator: "\n"))
            }
    }

    /// Why a fence can't be trusted to compile; `nil` if it can. An extra import would let a snippet pass that a reader
    /// can't compile, so none may be wider than what the reader has seen.
    private func problem(
        _ fence: Substring, _ shown: Set<String>, _ snippets: [(imports: Set<String>, text: String)]
    ) -> String? {
        let text = self.lines(fence).joined(separator: "\n")
        let same = snippets.filter { $0.text.contains(text) }
        if same.isEmpty { return "a fence isn't in any Snippets" }
        return same.contains { $0.imports.isSubset(of: shown) } ? nil : "compiled with more imports than are shown"
    }

    @Test("Every Swift fence is compiled, with the imports that its page prints")
    func compiled() throws {
        let snippets = try self.snippets()
        var count = 0
        for page in self.files("Sources", "md") + [checkout.appendingPathComponent("README.md")] {
            var printed: Set<String> = []
            for fence in self.fences("swift", in: try String(contentsOf: page, encoding: .utf8)) {
                count += 1
                printed.formUnion(self.imports(fence))
                let problem = self.problem(fence, printed, snippets)
                #expect(problem == nil, "\(page.lastPathComponent): \(problem ?? ""):\n\(fence)")
            }
        }
        #expect(count >= 50)
    }

    /// The documentation comments of a source file as Markdown, with an empty line for every line of code.
    private func comments(_ source: String) -> String {
        source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("///") else { return "" }
            return String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3))
        }.joined(separator: "\n")
    }

    @Test("Every Swift fence in a comment is compiled, with its module and the imports of its file")
    func compiledComments() throws {
        let snippets = try self.snippets()
        var count = 0
        for file in self.files("Sources", "swift") {
            let source = try String(contentsOf: file, encoding: .utf8)
            let text = self.comments(source)
            let delimiters = text.split(separator: "\n").filter { $0.hasPrefix("```") }
            let languages = delimiters.indices.filter { $0.isMultiple(of: 2) }.map { delimiters[$0].dropFirst(3) }
            // DocC takes a fence without a language for Swift.
            #expect(
                languages.allSatisfy { $0 == "swift" || $0 == "text" },
                "\(file.lastPathComponent): a fence is neither swift nor text")
            // Sources/MODULE/…: readers of a module's comments import it. Formwork includes the core.
            let folders = file.pathComponents
            let module = folders[folders.lastIndex(of: "Sources")! + 1]
            var known = self.imports(source).union(["import \(module)"])
            if module == "FormworkCore" { known.insert("import Formwork") }
            for fence in self.fences("swift", in: text) {
                count += 1
                let problem = self.problem(fence, known.union(self.imports(fence)), snippets)
                #expect(problem == nil, "\(file.lastPathComponent): \(problem ?? ""):\n\(fence)")
            }
        }
        #expect(count >= 40)
    }

    @Test("The program of Getting started prints what the page says")
    func firstOutput() throws {
        let page = checkout.appendingPathComponent("Sources/Formwork/Formwork.docc/Getting-started.md")
        let texts = self.fences("text", in: try String(contentsOf: page, encoding: .utf8))
        let expected = try #require(texts.first { $0.hasPrefix("--harbour") })
        let notes = checkout.appendingPathComponent("Fixtures/grüße aus 東京.txt").path
        let plan = try FormData(framing: MultipartFraming(boundary: try Boundary("harbour")))
            .appending(name: "title", value: "Harbour at dawn").appending(name: "notes", file: notes).plan()
        let output =
            String(decoding: try plan.bytes(upTo: 10_000), as: UTF8.self)
            + "\(plan.contentType) \(plan.contentLength!)"
        #expect(output.replacing("\r\n", with: "\n") == expected)
    }

    @Test("The other fences run too")
    func run() async throws {
        let forms = try await sources()
        #expect(try await forms[0].plan().makeReader(from: 1_000_000).collect(upTo: 1000).count > 10)
        #expect(try await forms[1].plan().contentLength != nil)
        let log = try await forms[2].plan().bytes(upTo: 1000)
        #expect(String(decoding: log, as: UTF8.self).contains("\r\n\r\nstarted\n\r\n--"))
        #expect(try await testingUploads().contentLength == 10737418529)
        try await testingHandlers()
        try await testingClients()
        _ = await foundationProgress()
        for missing in [nestedForms, curlsArguments] {
            await #expect(throws: FormworkError.self, "harbour.jpg is not there") { try await missing().plan() }
        }
        let plan = try await FormData().appending(name: "a", value: "x").plan()
        #expect(try await retryingLater(plan).bytes(upTo: 1000) == plan.bytes(upTo: 1000))
    }

    @Test("The examples of comments do what their comments say")
    func runComments() async throws {
        #expect(await composingParts().parts?.map(\.header.filename) == [nil, "harbour.jpg", "table.csv"])
        #expect(try await composingInOneExpression(["taken": 1]).parts?.count == 3)
        #expect(await composingSources().parts?.count == 3)
        #expect(try await composingLikeCurl().parts?.map(\.header.contentType) == [nil, "image/jpeg"])

        let (input, end) = try FileDescriptor.pipe()
        try end.closeAfter { _ = try end.writeAll("dump".utf8) }
        defer { try? input.close() }
        let spooled = try await composingSpools(input)
        #expect(spooled.isReplayable && spooled.contentLength != nil)

        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "a", value: String(repeating: "x", count: 200))
        #expect(try await readingAgain(form) == Array((String(repeating: "x", count: 149) + "\r\n--b--\r\n").utf8))
        var sent: [UInt8] = []
        try await readingPieces(try await form.plan()) { sent += $0 }
        #expect(sent.count == 258)
        await #expect(throws: FormworkError.self, "it is not there") { try await composingParts().plan() }
        try await readingErrors(composingParts())

        let type = "multipart/form-data; boundary=b"
        #expect(try await readingEvents([sent], type).names == ["a"])
        #expect(try await readingEvents([sent], type).content == Array(repeating: UInt8(ascii: "x"), count: 200))

        let (encoded, received) = try await codingOrders()
        #expect(encoded.parts?.map(\.header.name) == ["item", "sizes[]", "sizes[]"])
        #expect(try await codingBack(received) == Order(item: "rope", sizes: [8, 10]))
    }

    @Test("The examples of the other modules' comments do what their comments say")
    func runOtherComments() async throws {
        #expect(try await queryOfAlamofire() == "page=1&tags%5B%5D=a&tags%5B%5D=b")
        var names: [String] = []
        let pieces = ["title=Harb", "our&dra", "ft"].map { Array($0.utf8) }
        try await queryOfPieces(pieces) { names.append($0.name) }
        #expect(names == ["title", "draft"])
        let (text, parameters) = try await migratingEncoder()
        #expect(text == "page=2&sort%20by=1")
        #expect(parameters == ["page": 2, "sort by": 1])
        let url = try #require(URL(string: "http://a.b/"))
        #expect(try await migratingSerializer(url).url?.query == "page=1&tags%5B%5D=a&tags%5B%5D=b")
    }

    @Test("What the article on url-encoded text says is written")
    func urlEncoded() async throws {
        let (texts, tree) = try await urlEncoding()
        #expect(
            texts == [
                "title=Harbour+at+dawn&tags%5B%5D=sea&tags%5B%5D=fog&draft=false",
                "title=Harbour%20at%20dawn&tags%5B0%5D=sea&tags%5B1%5D=fog&draft=0",
                "q=fog%20%26%20sea&page=1&page=2",
            ])
        #expect(tree == ["tags": ["sea", "fog"], "crew": ["mate": "Jürgen"]])
        let error = await #expect(throws: FormworkError.self) { try await checkedEncoding() }
        #expect(
            error?.message
                == "\"crew\" would be read back as 1 element, not 2: give its objects the same members in the "
                + "same order")
        #expect(try await urlEncodedPieces() == ["title", "draft"])
    }

    @Test("Every name that the migration article promises is compiled, and every error is a sentence")
    func migratingNames() throws {
        let names = try String(
            contentsOf: checkout.appendingPathComponent("Tests/DocumentationTests/MigratingNames.swift"),
            encoding: .utf8)
        let compiled = Set(names.matches(of: /\w+/).map { String($0.output) })
        let article = try String(
            contentsOf: checkout.appendingPathComponent("Sources/Formwork/Formwork.docc/Migrating.md"), encoding: .utf8)
        var promised: Set<String> = []
        // Where ours is "the same", theirs is what is promised; the last table is of values, not of names.
        for row in article.prefix(upTo: article.range(of: "## The body as an InputStream")!.lowerBound).split(
            separator: "\n")
        {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard row.hasPrefix("| "), cells.count >= 2 else { continue }
            for cell in cells[1].hasPrefix("the same") ? [cells[0], cells[1]] : [cells[1]] {
                for (index, code) in cell.components(separatedBy: "`").enumerated() where !index.isMultiple(of: 2) {
                    promised.formUnion(code.matches(of: /\w{2,}/).map { String($0.output) })
                }
            }
        }
        #expect(promised.count > 40)
        #expect(promised.subtracting(compiled).sorted() == [])
        let errors = alamofireErrors(URL(fileURLWithPath: "/f"), FormworkError(.invalidArgument, "the cause"))
        #expect(errors.count == 21)
    }

    @Test("Public names can be written bare beside Foundation's")
    func bareNames() throws {
        // Compiling is the test: each name is used without its module, with Foundation imported.
        let names: [Any.Type] = [
            FormData.self, BodyPart.self, BodySource.self, PartSequence.self, BodyPlan.self, BodyReader.self,
            AsyncBodyReader.self, ReaderOptions.self, BodyChunks.self, BodySpool.self, (any ByteStream).self,
            PlanDescription.self, Boundary.self,
            HeaderField.self, PartHeader.self, ParameterEscaping.self, MultipartFraming.self,
            (any BodyDigest).self, DigestValue.self, RateLimit.self, UploadProgress.self,
            MediaTypeChoice.self, MediaTypeTable.self, PartReference.self, FormworkError.self,
            DispositionType.self, TransferEncoding.self, MediaTypeDetection.self, FormGrammar.self, CurlForm.self,
            LibMagic.self,
        ]
        #expect(names.count == 31)
    }
}
