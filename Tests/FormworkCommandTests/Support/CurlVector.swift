import Foundation
import TestSupport
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

    static func rows() throws -> [CurlVector] {
        try VectorRow.all().filter { $0.json.object?["args"] != nil }.map(CurlVector.init)
    }

    /// What is known of a capture, and is not looked at.
    private static let notes = [
        "name", "note", "origin", "versions", "platform", "stderr", "warnings", "boundary", "transfer_encoding",
        "parts",
        "curl_version", "curl_8_22_0_dev", "curl_8_22_0_dev_same", "partial_body_base64_prefix", "partial_body_length",
        "declared_content_length",
    ]

    init(_ row: VectorRow) throws {
        var object = try VectorObject(row.json, row.name)
        for key in Self.notes { _ = object.value(key) }
        self.name = row.name
        self.arguments = try object.array("args")?.compactMap(\.string) ?? []
        self.files = try Self.bytes(object.value("files"), row.name)
        self.fifos = try Self.bytes(object.value("fifos"), row.name)
        self.folders = try object.array("dirs")?.compactMap(\.string) ?? []
        self.input = try object.bytes("stdin_text", "stdin").map { Data($0) }
        self.inputIsFile = try object.flag("stdin_is_regular_file") ?? false
        let statuses = [try object.integer("exit_code"), try object.integer("exit")]
        let body = try object.bytes("body", "body_base64")
        let (type, length) = (try object.string("content_type"), try object.integer("content_length"))
        let boundaries = try object.array("boundaries")?.compactMap(\.string)
        if let status = statuses.compactMap({ $0 }).first, status != 0 {
            self.expected = .status(Int32(status))
        } else if let body, let type, let boundaries {
            self.expected = .body(Data(body), contentType: type, length: length, boundaries: boundaries)
        } else {
            throw RowNotUnderstood("\(row.name) has neither a body with its boundaries nor an exit code")
        }
        try object.checkAllTaken()
    }

    private static func bytes(_ value: JSONValue?, _ name: String) throws -> [String: Data] {
        try (value?.object ?? [:]).mapValues {
            guard let data = $0.string.flatMap({ Data(base64Encoded: $0) }) else {
                throw RowNotUnderstood("\(name): no base64")
            }
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
