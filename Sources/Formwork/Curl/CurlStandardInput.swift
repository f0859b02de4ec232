import FormworkSystem

/// Standard input, which can be the content of one part.
struct CurlStandardInput {
    private let isCurl: Bool
    private let spools: Bool
    private var isTaken = false
    /// Those that have names, such as `/dev/stdin`.
    private var pipes: Set<PipeIdentity> = []

    init(_ options: CurlForm) {
        self.isCurl = options.grammar == .curl
        self.spools = options.spoolsPipes
    }

    /// The source at a path that isn't `-`.
    /// - Parameter length: The value of `length=`; `nil` without.
    mutating func source(at path: FilePath, length: Int64?) throws(FormworkError) -> BodySource {
        let status = try? SystemCalls.status(of: path)
        if length != nil, [.regular, .directory].contains(status?.kind) {
            throw FormworkError(
                .invalidArgument, "length= is for standard input, FIFOs and devices: a file has a length")
        }
        let source = BodySource.file(path, length: length)
        guard let named = PipeIdentity(status) else { return source }
        // curl opens a pipe again, and finds nothing more in it.
        if self.isCurl { return self.pipes.insert(named).inserted ? source : .bytes([]) }
        if named == .standardInput { return try self.take(length: length) }
        guard self.spools else { return source }
        let pipe: FileDescriptor
        do throws(Errno) { pipe = try SystemCalls.open(path, .readOnly) } catch {
            throw FormworkError(.sourceUnavailable, "can't be opened", path: path.string, cause: error)
        }
        defer { try? SystemCalls.close(pipe) }
        return try Self.spool(pipe, "the FIFO", length)
    }

    private static func spool(
        _ pipe: FileDescriptor, _ name: String, _ length: Int64?
    ) throws(FormworkError) -> BodySource {
        let spool = try BodySpool(collecting: pipe)
        if let length, length != spool.count {
            throw FormworkError(
                .lengthMismatch, "\(name) has \(spool.count, "byte"), not the declared length of \(length)")
        }
        return spool.source
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
        return try Self.spool(.standardInput, "standard input", length)
    }
}
