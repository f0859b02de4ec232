import FormworkSystem

/// Standard input, which can be the content of one part.
struct CurlStandardInput {
    private let isCurl: Bool
    private let spools: Bool
    private var isTaken = false

    init(_ options: CurlForm.Options) {
        self.isCurl = options.grammar == .curl
        self.spools = options.spoolsPipes
    }

    /// The source at a path that isn't `-`.
    mutating func source(at path: FilePath) throws(FormworkError) -> BodySource {
        guard !self.isCurl, let named = PipeIdentity(try? SystemCalls.status(of: path)) else { return .file(path) }
        // Such as /dev/stdin.
        if named == .standardInput { return try self.take(length: nil) }
        guard self.spools else { return .file(path) }
        let pipe: FileDescriptor
        do throws(Errno) { pipe = try SystemCalls.open(path, .readOnly) } catch {
            throw FormworkError(.sourceUnavailable, "can't be opened", path: path.string, cause: error)
        }
        defer { try? SystemCalls.close(pipe) }
        return try BodySpool(collecting: pipe).source
    }

    mutating func take(length: Int64?) throws(FormworkError) -> BodySource {
        guard !self.isTaken else {
            // curl reads nothing more from the pipe.
            if self.isCurl { return .bytes([]) }
            throw FormworkError(.invalidArgument, "standard input is already the content of another part")
        }
        self.isTaken = true
        let isRegular = (try? SystemCalls.status(of: .standardInput))?.kind == .regular
        guard self.spools || self.isCurl && !isRegular else { return .descriptor(.standardInput, length: length) }
        let spool = try BodySpool(collecting: .standardInput)
        if let length, length != spool.count {
            throw FormworkError(
                .lengthMismatch, "standard input has \(spool.count, "byte"), not the declared length of \(length)")
        }
        return spool.source
    }
}
