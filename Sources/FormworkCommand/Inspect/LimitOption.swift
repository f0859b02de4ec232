import Formwork

/// `--limit NAME=VALUE`, and the command's limits without it.
enum LimitOption {
    /// A user's own file may have any size. Only content that is held in memory, and counts, are limited.
    static let usual: ParsingLimits = {
        var limits = ParsingLimits.none
        limits.boundaryLength = 1 << 10
        (limits.preambleBytes, limits.headerBytes, limits.nameBytes) = (1 << 20, 1 << 20, 64 << 10)
        (limits.headerCount, limits.parts) = (1_000, 10_000_000)
        return limits
    }()

    static let names: KeyValuePairs<String, @Sendable (inout ParsingLimits, Int64) -> Void> = [
        "boundaryLength": { $0.boundaryLength = Int($1) },
        "totalBytes": { $0.totalBytes = $1 },
        "preambleBytes": { $0.preambleBytes = $1 },
        "headerBytes": { $0.headerBytes = Int($1) },
        "totalHeaderBytes": { $0.totalHeaderBytes = Int($1) },
        "headerCount": { $0.headerCount = Int($1) },
        "nameBytes": { $0.nameBytes = Int($1) },
        "parts": { $0.parts = Int($1) },
        "files": { $0.files = Int($1) },
        "fields": { $0.fields = Int($1) },
        "fieldBytes": { $0.fieldBytes = $1 },
        "fileBytes": { $0.fileBytes = $1 },
    ]

    /// The limits after all options are applied in order.
    static func limits(_ options: [String]) throws -> ParsingLimits {
        var limits = self.usual
        for option in options {
            if option == "defaults" {
                limits = .default
                continue
            }
            let words = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let set = self.names.first(where: { $0.key == words[0] })?.value else {
                throw self.refusal(option, "write NAME=VALUE with one of \(self.names.names)")
            }
            guard let value = words[1] == "none" ? .max : ByteCount(words[1])?.bytes else {
                throw self.refusal(option, "give a whole number, with k, M or G for powers of 1024, or 'none'")
            }
            set(&limits, value)
        }
        return limits
    }

    private static func refusal(_ option: String, _ fix: String) -> ExitStatus {
        ExitStatus(2, "--limit \(ShellQuote.quote(option)): \(fix)")
    }
}
