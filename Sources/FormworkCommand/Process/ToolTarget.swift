#if Command
import ArgumentParser
import Formwork
import FormworkCore
import FormworkURLEncoded
import SystemPackage

/// The programs that `body --as` supports.
enum ToolOption: String, ChoiceOption {
    case ab, curl, hey, http, k6, oha, request, vegeta, wget, wrk
}

/// The command line, target or script that makes another program send a body.
struct ToolTarget {
    let tool: ToolOption
    let url: String
    let contentType: String
    /// Other headers, as `Name: value`.
    var headers: [String] = []

    /// The text, with the name of the file that holds the body, ready to run or to pass to the program.
    func text(naming file: FilePath) -> String {
        let body = file.string
        let short = self.headers.flatMap { ["-H", $0] }
        let fields = self.fields
        switch self.tool {
        case .ab:
            return Self.line(
                ["ab", "-n", "100", "-c", "10", "-p", body, "-T", self.contentType] + short + [self.url])
        case .curl:
            return Self.line(
                ["curl", "--data-binary", "@\(body)", "-H", "Content-Type: \(self.contentType)"] + short + [self.url])
        case .hey: return Self.line(["hey", "-m", "POST", "-T", self.contentType] + short + ["-D", body, self.url])
        case .http:
            let given = fields.map { "\($0.name):\($0.value)" }
            return Self.line(
                ["http", "--ignore-stdin", "POST", self.url, "Content-Type:\(self.contentType)"] + given + ["@\(body)"])
        case .k6:
            let others = fields.map { ", \(Self.literal($0.name)): \(Self.literal($0.value))" }.joined()
            return """
                import http from 'k6/http';
                const body = open(\(Self.literal(body)), 'b');
                const params = { headers: { 'Content-Type': \(Self.literal(self.contentType))\(others) } };
                export default function () {
                  http.post(\(Self.literal(self.url)), body, params);
                }

                """
        case .oha: return Self.line(["oha", "-m", "POST", "-T", self.contentType] + short + ["-D", body, self.url])
        // Written with the body, not before it.
        case .request: return ""
        case .vegeta:
            let others = fields.map { "\($0.name): \($0.value)\n" }.joined()
            return "POST \(self.url)\nContent-Type: \(self.contentType)\n\(others)@\(body)\n"
        case .wget:
            let given = self.headers.map { "--header=\($0)" }
            return Self.line(
                ["wget", "-O", "-", "--post-file=\(body)", "--header=Content-Type: \(self.contentType)"] + given
                    + [self.url])
        case .wrk:
            let others = fields.map { "wrk.headers[\(Self.literal($0.name))] = \(Self.literal($0.value))\n" }.joined()
            return """
                -- wrk -s FILE-OF-THIS \(ShellQuote.quote(self.url))
                local file = assert(io.open(\(Self.literal(body)), "rb"))
                wrk.method = "POST"
                wrk.body = file:read("*a")
                wrk.headers["Content-Type"] = \(Self.literal(self.contentType))
                \(others)file:close()

                """
        }
    }

    /// Writes one line of Vegeta's JSON format to standard output, with the body in it, streamed.
    func writeVegetaTarget(of plan: BodyPlan, _ options: ReaderOptions) throws {
        let reader = try plan.makeReader(options: options)
        defer { reader.close() }
        let output = OutputBuffer()
        try output.write("{\"method\":\"POST\",\"url\":\(Self.literal(self.url)),")
        // A name that is given twice has both values in one array.
        var values: [(name: String, values: [String])] = [("Content-Type", [self.contentType])]
        for field in self.fields {
            if let place = values.firstIndex(where: { $0.name.lowercased() == field.name.lowercased() }) {
                values[place].values.append(field.value)
            } else {
                values.append((field.name, [field.value]))
            }
        }
        let header = values.map { "\(Self.literal($0.name)):[\($0.values.map(Self.literal).joined(separator: ","))]" }
        try output.write("\"header\":{\(header.joined(separator: ","))},\"body\":\"")
        var encoder = Base64Encoder(columns: nil)
        var isEnd = false
        while !isEnd {
            let bytes = try reader.read(upTo: 48 << 10)
            isEnd = bytes.isEmpty
            try output.write { encoder.encode(bytes, isEnd: isEnd, into: &$0) }
        }
        try output.write("\"}\n")
        try output.flush()
    }

    /// The headers' names and values, without the blanks around them.
    private var fields: [(name: String, value: String)] {
        self.headers.map { header in
            // By bytes: a colon and a combining mark after it are one Character.
            let name = header.utf8.prefix { $0 != UInt8(ascii: ":") }
            let value = header.utf8[name.endIndex...].dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            return (String(Substring(name)), String(Substring(value)))
        }
    }

    private static func line(_ words: [String]) -> String {
        words.map(ShellQuote.quote).joined(separator: " ") + "\n"
    }

    /// A JSON string. It is also valid in JavaScript, and in Lua for the characters of a URL, a type or a file name.
    private static func literal(_ text: String) -> String { OrderedJSON.write(.text(text)) }
}
#endif
