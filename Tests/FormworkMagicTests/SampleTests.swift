import Formwork
@testable import FormworkMagic
import Foundation
import Testing

@Suite("Types of real files", .timeLimit(.minutes(10)))
struct SampleTests {
    @Test("auto is right wherever the name or the content is, and a markup file is never called a picture")
    func neverWorse() throws {
        let samples = try Sample.all()
        #expect(samples.count == 219)
        for sample in samples {
            let source = BodySource.file(FilePath(sample.path))
            let named = try MediaTypeDetection.byExtension.choice(of: source, filename: sample.file)
            let found = try MediaTypeDetection.byContent.choice(of: source, filename: sample.file)
            let auto = try MediaTypeDetection.auto.choice(of: source, filename: sample.file)
            if sample.isRight(named.mediaType) || sample.isRight(found.mediaType) {
                #expect(sample.isRight(auto.mediaType), "\(sample.file): \(auto)")
            }
            if sample.right[0] == "text/html" || sample.right[0] == "image/svg+xml", !sample.file.hasSuffix(".svg") {
                #expect(
                    auto.mediaType?.hasPrefix("image/") == false || auto.mediaType == "image/svg+xml", "\(sample.file)")
            }
        }
    }

    @Test("auto is right on every sample, whoever else is")
    func right() throws {
        let wrong = try Sample.all().filter { sample in
            let source = BodySource.file(FilePath(sample.path))
            return !sample.isRight(try MediaTypeDetection.auto.choice(of: source, filename: sample.file).mediaType)
        }
        #expect(wrong.map(\.file) == [])
    }

    @Test("The table in the documentation is what they say")
    func documented() throws {
        let article = Sample.package.appendingPathComponent("Fixtures/media-types.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let table = try Self.table()
        if ProcessInfo.processInfo.environment["FORMWORK_WRITE_TABLES"] != nil {
            let head = try #require(text.range(of: Self.begin)).upperBound
            let tail = try #require(text.range(of: Self.end)).lowerBound
            try text.replacingCharacters(in: head..<tail, with: "\n" + table).write(
                to: article, atomically: true, encoding: .utf8)
            return
        }
        // Another libmagic says other things; the table is that of one version.
        guard LibMagic.version == 544, FileManager.default.isExecutableFile(atPath: "/usr/bin/file") else { return }
        #expect(
            text.contains(Self.begin + "\n" + table + Self.end), "run with FORMWORK_WRITE_TABLES=1 and read the diff")
    }

    private static let begin = "<!-- samples: made by SampleTests -->"
    private static let end = "<!-- end of samples -->"

    private static func table() throws -> String {
        let samples = try Sample.all()
        let files = try self.fileCommand(samples)
        var rows = ["| sample | name | libmagic | `file` | auto | why |", "|---|---|---|---|---|---|"]
        for sample in samples {
            let source = BodySource.file(FilePath(sample.path))
            let named = try MediaTypeDetection.byExtension.choice(of: source, filename: sample.file)
            let found = try MediaTypeDetection.byContent.choice(of: source, filename: sample.file)
            let auto = try MediaTypeDetection.auto.choice(of: source, filename: sample.file)
            let cells = [
                "\(sample.what): `\(sample.file)`", named.detector == .none ? "–" : named.mediaType ?? "",
                found.detector == .none ? "–" : found.mediaType ?? "", files[sample.file] ?? "–",
                "**\(auto.mediaType ?? "")**", auto.reason,
            ]
            rows.append("| " + cells.joined(separator: " | ") + " |")
        }
        return rows.joined(separator: "\n") + "\n"
    }

    /// What `file --mime-type` says.
    private static func fileCommand(_ samples: [Sample]) throws -> [String: String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["file", "--mime-type", "--brief", "--"] + samples.map(\.file)
        process.currentDirectoryURL = Sample.folder
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n").map(String.init)
        return Dictionary(uniqueKeysWithValues: zip(samples.map(\.file), lines))
    }

    @Test("Eight threads agree with one on ten thousand files")
    func threads() async throws {
        let samples = try Sample.all().map { sample in
            (sample.file, Array(try Data(contentsOf: URL(fileURLWithPath: sample.path)).prefix(32 << 10)))
        }
        let expected = samples.map { MediaTypeDetection.auto.choice(forFilename: $0.0, head: $0.1) }
        let results = Results(count: 10_000)
        let threads = (0..<8).map { thread in
            Thread {
                for index in stride(from: thread, to: 10_000, by: 8) {
                    let (file, head) = samples[index % samples.count]
                    let choice = MediaTypeDetection.auto.choice(forFilename: file, head: head)
                    results.set(index, choice == expected[index % samples.count])
                }
                results.finished.signal()
            }
        }
        threads.forEach { $0.start() }
        await Task.detached { results.wait(for: 8) }.value
        #expect(results.agreed == 10_000)
    }

    private final class Results: @unchecked Sendable {
        // SAFETY: `agreements` is used under the lock alone.
        private let lock = NSLock()
        private var agreements: [Bool]
        let finished = DispatchSemaphore(value: 0)

        init(count: Int) { self.agreements = Array(repeating: false, count: count) }
        func set(_ index: Int, _ agrees: Bool) { self.lock.withLock { self.agreements[index] = agrees } }
        func wait(for threads: Int) { for _ in 0..<threads { self.finished.wait() } }
        var agreed: Int { self.lock.withLock { self.agreements.count { $0 } } }
    }
}
