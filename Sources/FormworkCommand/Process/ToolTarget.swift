#if Command
import ArgumentParser
import Formwork
import FormworkCore
import FormworkURLEncoded
import SystemPackage

/// The programs that `body --as` supports.
enum ToolOption: String, ExpressibleByArgument, CaseIterable {
    case ab, curl, hey, http, k6, oha, request, vegeta, wget, wrk
}

/// The command line, target or script that makes another program send a body.
struct ToolTarget {
    let tool: ToolOption
    let url: String
    let contentType: String

    /// The text, with the name of the file that holds the body, ready to run or to pass to the program.
    func text(naming file: FilePath) -> String {
        let body = file.string
        switch self.tool {
        case .ab: return Self.line(["ab", "-n", "100", "-c", "10", "-p", body, "-T", self.contentType, self.url])
        case .curl:
            return Self.line(["curl", "--data-binary", "@\(body)", "-H", "Content-Type: \(self.contentType)", self.url])
        case .hey: return Self.line(["hey", "-m", "POST", "-T", self.contentType, "-D", body, self.url])
        case .http:
            return Self.line([
                "http", "--ignore-stdin", "POST", self.url, "Content-Type:\(self.contentType)", "@\(body)",
            ])
        case .k6:
            return """
                import http from 'k6/http';
                const body = open(\(Self.literal(body)), 'b');
                const params = { headers: { 'Content-Type': \(Self.literal(self.contentType)) } };
                export default function () {
                  http.post(\(Self.literal(self.url)), body, params);
                }

                """
        case .oha: return Self.line(["oha", "-m", "POST", "-T", self.contentType, "-D", body, self.url])
        // Written with the body, not before it.
        case .request: return ""
        case .vegeta: return "POST \(self.url)\nContent-Type: \(self.contentType)\n@\(body)\n"
        case .wget:
            return Self.line([
                "wget", "-O", "-", "--post-file=\(body)", "--header=Content-Type: \(self.contentType)", self.url,
            ])
        case .wrk:
            return """
                -- wrk -s FILE-OF-THIS \(self.url)
                local file = assert(io.open(\(Self.literal(body)), "rb"))
                wrk.method = "POST"
                wrk.body = file:read("*a")
                wrk.headers["Content-Type"] = \(Self.literal(self.contentType))
                file:close()

                """
        }
    }

    /// Writes one line of Vegeta's JSON format to standard output, with the body in it, streamed.
    func writeVegetaTarget(of plan: BodyPlan, _ options: ReaderOptions) throws {
        let reader = try plan.makeReader(options: options)
        defer { reader.close() }
        let output = OutputBuffer()
        try output.write("{\"method\":\"POST\",\"url\":\(Self.literal(self.url)),")
        try output.write("\"header\":{\"Content-Type\":[\(Self.literal(self.contentType))]},\"body\":\"")
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

    private static func line(_ words: [String]) -> String {
        words.map(ShellQuote.quote).joined(separator: " ") + "\n"
    }

    /// A JSON string. It is also valid in JavaScript, and in Lua for the characters of a URL, a type or a file name.
    private static func literal(_ text: String) -> String { OrderedJSON.write(.text(text)) }
}
#endif
