import Formwork
import FormworkSystem

/// A text that a verb reads into memory: a file or standard input.
struct TextInput {
    /// The most bytes that are read.
    static let limit = 256 << 20

    /// The input's name in errors.
    let name: String
    let bytes: [UInt8]

    init(_ file: String?) throws {
        let (name, source) = try Self.source(file)
        self.name = name
        self.bytes = try Self.naming(name) { () throws(FormworkError) in
            try BodyPlan(copying: source).bytes(upTo: Self.limit)
        }
    }

    /// The source that an argument names: a file, or standard input for `nil` and `-`.
    static func source(_ file: String?) throws -> (name: String, source: BodySource) {
        if let part = PartArgument.ofThisProcess.first {
            throw ExitStatus(2, "\(part.option.rawValue): this command has no parts of a form: leave it out")
        }
        guard let file, file != "-" else { return ("standard input", .descriptor(.standardInput)) }
        if file.contains(where: { "={[&?".contains($0) }), (try? SystemCalls.status(of: FilePath(file))) == nil {
            throw ExitStatus(
                26, "\(file): no such file: a text comes from standard input, as in: echo '…' | formwork …")
        }
        return (file, .file(try FilePath(ofFile: file)))
    }

    /// Runs a call on the input of that name, and sets the name as the path of its errors.
    static func naming<Result>(
        _ name: String, _ work: () throws(FormworkError) -> Result
    ) throws(FormworkError) -> Result {
        do throws(FormworkError) {
            return try work()
        } catch {
            throw error.changed {
                $0.part = nil
                if $0.path == nil, !$0.message.hasPrefix(name) { $0.path = name }
            }
        }
    }
}
