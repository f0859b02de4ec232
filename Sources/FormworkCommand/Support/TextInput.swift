#if Command
import Formwork
import SystemPackage

/// A text that a verb reads whole: a file, or standard input.
struct TextInput {
    /// Bytes that are read.
    static let limit = 256 << 20

    /// What errors call it.
    let name: String
    let bytes: [UInt8]

    init(_ file: String?) throws {
        let (name, source) = try Self.source(file)
        self.name = name
        self.bytes = try Self.naming(name) { () throws(FormworkError) in
            try BodyPlan(copying: source).bytes(upTo: Self.limit)
        }
    }

    /// What an argument names: a file; standard input for `nil` and `-`.
    static func source(_ file: String?) throws -> (name: String, source: BodySource) {
        if let part = PartArgument.ofThisProcess.first {
            throw ExitStatus(2, "formwork: \(part.option.rawValue): this command takes no parts of a form")
        }
        guard let file, file != "-" else { return ("standard input", .descriptor(.standardInput)) }
        return (file, .file(FilePath(file)))
    }

    /// Names the input in errors of what was read there.
    func explaining<Result>(_ work: () throws(FormworkError) -> Result) throws(FormworkError) -> Result {
        try Self.naming(self.name, work)
    }

    /// Runs a call on the input of that name, which errors then have as their path.
    static func naming<Result>(
        _ name: String, _ work: () throws(FormworkError) -> Result
    ) throws(FormworkError) -> Result {
        do throws(FormworkError) {
            return try work()
        } catch {
            var error = error
            error.part = nil
            if error.path == nil, !error.message.hasPrefix(name) { error.path = name }
            throw error
        }
    }
}
#endif
