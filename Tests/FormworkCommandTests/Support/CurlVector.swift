import Foundation
import Testing

/// One capture of a real curl: a command line, and the request it made or the status it ended with.
struct CurlVector: Sendable, CustomTestStringConvertible {
    var name: String
    var arguments: [String]
    /// The files that the arguments name, by path.
    var files: [String: Data]
    var folders: [String]
    /// FIFOs, and what comes out of them.
    var fifos: [String: Data]
    var input: Data?
    var inputIsFile: Bool
    var expected: Expected
    var testDescription: String { self.name }

    enum Expected: Sendable {
        case body(Data, contentType: String, length: Int?, boundaries: [String])
        case status(Int32)
    }

    struct NotUnderstood: Error, CustomStringConvertible {
        var description: String
    }

    /// Rows of this package's fixtures, or of the folder that `FORMWORK_VECTORS` names: those with `args`.
    static func rows() throws -> [CurlVector] {
        let fixtures = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            .appendingPathComponent("Fixtures/vectors")
        let requested = ProcessInfo.processInfo.environment["FORMWORK_VECTORS"].map { URL(fileURLWithPath: $0) }
        let folder = requested ?? fixtures
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try names.sorted().flatMap { name in
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            guard let rows = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
                return [CurlVector]()
            }
            return try rows.filter { $0["args"] != nil }.map(CurlVector.init)
        }
    }

    /// What a row may have: what is run, what has to come out, and what is known of the capture.
    private static let keys: Set<String> = [
        "name", "note", "origin", "versions", "platform", "args", "files", "dirs", "fifos", "stdin",
        "stdin_is_regular_file", "exit", "exit_code", "stderr", "warnings", "body_base64", "content_type",
        "content_length", "boundary", "boundaries", "transfer_encoding", "parts", "curl_version", "curl_8_22_0_dev",
        "curl_8_22_0_dev_same", "partial_body_base64_prefix", "partial_body_length", "declared_content_length",
    ]

    init(_ row: [String: Any]) throws {
        self.name = row["name"] as? String ?? "a row without a name"
        let unknown = Set(row.keys).subtracting(Self.keys).sorted()
        guard unknown.isEmpty else { throw NotUnderstood(description: "\(self.name) has \(unknown)") }
        guard let arguments = row["args"] as? [String] else { throw NotUnderstood(description: "\(self.name): args") }
        self.arguments = arguments
        self.files = try Self.bytes(row["files"], self.name)
        self.fifos = (row["fifos"] as? [String: String] ?? [:]).compactMapValues { Data(base64Encoded: $0) }
        self.folders = row["dirs"] as? [String] ?? []
        self.input = (row["stdin"] as? String).flatMap { Data(base64Encoded: $0) }
        self.inputIsFile = row["stdin_is_regular_file"] as? Bool ?? false
        if let status = (row["exit_code"] ?? row["exit"]) as? Int, status != 0 {
            self.expected = .status(Int32(status))
        } else if let body = (row["body_base64"] as? String).flatMap({ Data(base64Encoded: $0) }),
            let contentType = row["content_type"] as? String, let boundaries = row["boundaries"] as? [String]
        {
            self.expected = .body(
                body, contentType: contentType, length: row["content_length"] as? Int, boundaries: boundaries)
        } else {
            throw NotUnderstood(description: "\(self.name) has neither a body with its boundaries nor an exit code")
        }
    }

    private static func bytes(_ value: Any?, _ name: String) throws -> [String: Data] {
        try (value as? [String: String] ?? [:]).mapValues {
            guard let data = Data(base64Encoded: $0) else { throw NotUnderstood(description: "\(name): no base64") }
            return data
        }
    }

    /// Puts the row's files into a folder.
    func prepare(_ folder: Folder) throws {
        let manager = FileManager.default
        for path in self.folders {
            try manager.createDirectory(atPath: folder.path + "/" + path, withIntermediateDirectories: true)
        }
        for (path, data) in self.files {
            let url = URL(fileURLWithPath: folder.path + "/" + path)
            try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: url)
        }
        if self.inputIsFile, let input = self.input {
            try input.write(to: URL(fileURLWithPath: folder.path + "/.stdin"))
        }
    }

    /// Runs a verb with the row's arguments.
    func run(_ verb: String, options: [String], in folder: Folder) throws -> Outcome {
        var script = ""
        for (path, data) in self.fifos {
            try data.write(to: URL(fileURLWithPath: folder.path + "/.fifo-content"))
            script += "mkfifo \(path.shellQuoted); "
            // Only `body` reads it: a writer without a reader would wait for ever.
            if verb == "body" { script += "timeout 20 bash -c 'cat .fifo-content > \"$0\"' \(path.shellQuoted) & " }
        }
        script += "timeout 20 \"$F\" \(verb) \((options + self.arguments).map(\.shellQuoted).joined(separator: " "))"
        if self.inputIsFile { script += " < .stdin" }
        script += ""
        return try Command.shell(script, input: Array(self.input ?? Data()), in: folder.path)
    }
}

extension String {
    /// The word as a shell takes it back.
    var shellQuoted: String { "'" + self.replacing("'", with: "'\\''") + "'" }
}
