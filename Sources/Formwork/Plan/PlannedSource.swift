import FormworkSystem

/// A planned source, with its length if that can be known.
///
/// Boxed, as a source is copied several times while it is planned and read.
indirect enum PlannedSource: Sendable {
    case bytes([UInt8])
    case file(PlannedFile)
    case synthetic(SyntheticBytes)
    case stream(StreamSource)
    case encoded(EncodedContent)
    case parts(PlannedParts)

    /// The number of bytes; `nil` if it is unknown.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .synthetic(let bytes): bytes.count
        case .stream(let stream): stream.length
        case .encoded(let content): content.length
        case .parts(let parts): parts.length
        }
    }

    /// Whether reading may block its thread: for a disk, in the caller's stream, or for a long computation.
    var mayBlock: Bool {
        switch self {
        case .bytes: false
        case .file, .synthetic: true
        case .parts(let parts): parts.sequence.arrivals == nil
        case .stream(let stream):
            if case .chunks = stream.opening { false } else { stream.chunk == nil }
        case .encoded(let content): content.raw.mayBlock
        }
    }

    /// Whether reading waits for nothing but the disk.
    var isReadableWithoutWaiting: Bool {
        switch self {
        case .bytes, .file, .synthetic: true
        case .stream(let stream): stream.isReadableWithoutWaiting
        case .encoded(let content): content.raw.isReadableWithoutWaiting
        case .parts(let parts): parts.isReadableWithoutWaiting
        }
    }
}

/// A slice of a regular file, tied to the state in which it was planned.
struct PlannedFile: Sendable {
    /// How the file is opened.
    enum ByteLocation: Sendable {
        /// Opened when the reader reaches it.
        case path(FilePath)
        /// The caller's or a spool's descriptor, read without moving it.
        case descriptor(FileDescriptor, keeping: BodySpool?)
    }

    var origin: ByteLocation
    /// The slice's first byte in the file.
    var offset: Int64
    var length: Int64
    var status: FileStatus

    var path: String? {
        if case .path(let path) = self.origin { path.string } else { nil }
    }
}

extension BodySource.ExpectedState {
    /// - Throws: ``FormworkError/Code/sourceChanged`` if the file at `path` is in another state.
    func check(_ status: FileStatus, at path: FilePath) throws(FormworkError) {
        guard status.kind == .regular else {
            throw FormworkError(.sourceChanged, "is no longer a regular file, as it was described", path: path.string)
        }
        let change =
            switch self {
            case .validator(let state): state.change(to: status.validator)
            case .fingerprint(let fingerprint): try fingerprint.change(to: status.validator, at: path)
            }
        guard let change else { return }
        throw FormworkError(
            .sourceChanged, "the file \(change) since it was described: plan again", path: path.string)
    }
}

extension FilePath {
    /// The path of a file that is read. A trailing slash, which `FilePath` drops, means that it must be a folder.
    /// - Throws: `sourceUnavailable` for a file with a trailing slash.
    package init(ofFile text: String) throws(FormworkError) {
        self.init(text)
        guard text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/"),
            try SourceResolver.look(at: self).kind != .directory
        else { return }
        throw FormworkError(.sourceUnavailable, "can't be read", path: text, cause: Errno.notDirectory)
    }
}

/// Plans sources.
///
/// A file's state comes from `status`, so that parts made again for reading get the state that planning recorded.
struct SourceResolver {
    /// Returns the state of the file at a path.
    var status: (FilePath) throws(FormworkError) -> FileStatus = SourceResolver.look
    /// The place of the form whose part contains the source.
    var place = PartPath()
    /// That part's index; `nil` for a separate source.
    var part: Int?

    /// The place of a form inside the content.
    var formPlace: PartPath { self.part.map(self.place.inside(partAt:)) ?? self.place }

    /// Gets the state from the system.
    static func look(at path: FilePath) throws(FormworkError) -> FileStatus {
        do throws(Errno) {
            let status = try SystemCalls.status(of: path)
            guard status.seemsReadable || SystemCalls.mayRead(path) else { throw .permissionDenied }
            return status
        } catch {
            let advice = error == .noSuchFileOrDirectory ? path.advice.map { ": " + $0 } : nil
            throw FormworkError(.sourceUnavailable, "can't be read\(advice ?? "")", path: path.string, cause: error)
        }
    }

    /// Appends the planned sources of `source`.
    func resolve(
        _ source: BodySource, _ append: (PlannedSource) throws(FormworkError) -> Void
    ) throws(FormworkError) {
        switch source.kind {
        case .text(let text): try append(.bytes(Array(text.utf8)))
        case .bytes(let bytes): try append(.bytes(bytes))
        case .file(let path, let range, let expected): try append(try self.file(path, range, expected))
        case .descriptor(let source): try append(try Self.descriptor(source))
        case .synthetic(let bytes):
            try Self.checkLength(bytes.count)
            try append(.synthetic(bytes))
        case .stream(let stream):
            try Self.checkLength(stream.length)
            try append(.stream(stream))
        case .concatenation(let sources):
            for source in sources { try self.resolve(source, append) }
        case .encoded(let source, let encoding):
            try append(.encoded(try EncodedContent(source, encoding, resolver: self)))
        case .multipart(let form):
            var builder = PlanBuilder(resolver: self)
            try builder.build(form)
            for piece in builder.layout.pieces {
                switch piece.content {
                case .framing(let range), .value(let range): try append(.bytes(Array(builder.layout.bytes[range])))
                case .source(let number): try append(builder.sources[number])
                }
            }
        }
    }

    private func file(
        _ path: FilePath, _ range: BodySource.FileRange, _ expected: BodySource.ExpectedState?
    ) throws(FormworkError) -> PlannedSource {
        let status = try self.status(path)
        try expected?.check(status, at: path)
        switch status.kind {
        case .regular:
            return .file(try Self.slice(range, of: .path(path), status, path))
        case .directory:
            throw FormworkError(.sourceUnavailable, "is a directory: name a file in it", path: path.string)
        case .fifo, .characterSpecial, .blockSpecial:
            guard range.offset == 0 else {
                throw FormworkError(.invalidArgument, "a FIFO or device has no slices", path: path.string)
            }
            let size = status.kind == .blockSpecial ? try? SystemCalls.size(ofDevice: path) : nil
            var stream = Self.special(path, isFIFO: status.kind == .fifo, length: range.length ?? size)
            stream.pipe = PipeIdentity(status)
            return .stream(stream)
        default:
            throw FormworkError(.sourceUnavailable, "is neither a file, a FIFO nor a device", path: path.string)
        }
    }

    private static func slice(
        _ range: BodySource.FileRange, of origin: PlannedFile.ByteLocation, _ status: FileStatus, _ path: FilePath?
    ) throws(FormworkError) -> PlannedFile {
        let size = status.validator.size
        try self.check(range, in: size, at: path)
        return PlannedFile(
            origin: origin, offset: range.offset, length: range.length ?? size - range.offset, status: status)
    }

    static func check(_ range: BodySource.FileRange, in size: Int64, at path: FilePath?) throws(FormworkError) {
        guard range.offset >= 0, range.offset <= size, (0...size - range.offset).contains(range.length ?? 0) else {
            throw FormworkError(
                .invalidArgument,
                "a slice of \(range.length.map { "\($0, "byte")" } ?? "all bytes") from offset \(range.offset) is not in a file of "
                    + "\(size, "byte")", path: path?.string)
        }
    }

    /// A FIFO or device at a path. It is opened when the reader reaches it, and only once, because its bytes can't be
    /// read again.
    private static func special(_ path: FilePath, isFIFO: Bool, length: Int64?) -> StreamSource {
        let once = OneShot(path)
        return StreamSource(
            length: length, isReplayable: false, label: "a FIFO or device", path: path.string, ignoresSurplus: !isFIFO,
            opening: .pull { _ in
                let path = try once.take()
                do throws(Errno) {
                    let descriptor =
                        try isFIFO ? SystemCalls.openFIFO(path, .readOnly) : SystemCalls.open(path, .readOnly)
                    return DescriptorStream(descriptor, owned: true)
                } catch .canceled {
                    throw CancellationError()
                }
            })
    }

    private static func descriptor(_ source: BodySource.DescriptorSource) throws(FormworkError) -> PlannedSource {
        let descriptor = source.descriptor
        let name = descriptor == .standardInput ? "standard input" : "descriptor \(descriptor.rawValue)"
        var length = source.length
        let status: FileStatus
        let offset: Int64
        do {
            status = try SystemCalls.status(of: descriptor)
            offset =
                status.kind == .regular
                ? try source.offset ?? SystemCalls.seek(descriptor, by: 0, from: .current) : 0
            if status.kind == .blockSpecial, length == nil {
                length = try? SystemCalls.bytesLeft(onDevice: descriptor)
            }
        } catch {
            throw FormworkError(
                .sourceUnavailable, "descriptor \(descriptor.rawValue) can't be read", cause: error)
        }
        if status.kind == .regular {
            let left = max(0, status.validator.size - offset)
            if source.offset == nil, let length, length > left {
                // The same mistake as with a pipe, which is found when it ends.
                throw FormworkError(
                    .lengthMismatch, "\(name) has \(left, "byte"), not the declared length of \(length)")
            }
            let range = BodySource.FileRange(offset: min(offset, status.validator.size), length: length)
            return .file(try self.slice(range, of: .descriptor(descriptor, keeping: source.spool), status, nil))
        }
        try self.checkLength(length)
        return .stream(
            StreamSource(
                length: length, isReplayable: false, label: name, pipe: PipeIdentity(status),
                ignoresSurplus: status.kind == .blockSpecial, opening: .once(source.stream)))
    }

    private static func checkLength(_ length: Int64?) throws(FormworkError) {
        guard let length, length < 0 else { return }
        throw FormworkError(.invalidArgument, "a length can't be negative, but is \(length)")
    }
}

extension FilePath {
    /// What to pass instead of a path that was not found and looks like something else; `nil` for other paths.
    var advice: String? {
        let text = self.string
        if text.isEmpty { return "the path is empty, so name a file" }
        // A path has one slash where a URL has two.
        if text.hasPrefix("file:/") { return "this is the text of a file URL, so pass the URL or its path" }
        if text.utf8.first == 0x7E { return "only a shell replaces ~, so write the home folder's path" }
        return Self.beginsLikeURL(text) ? "this is a URL, so download it first and pass the file" : nil
    }

    /// Whether a text begins with a scheme (RFC 3986 §3.1) of at least two characters, as a drive of Windows has one, and
    /// `:/`.
    private static func beginsLikeURL(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: 0x3A), bytes[colon...].starts(with: [0x3A, 0x2F]) else { return false }
        let scheme = bytes[..<colon]
        return scheme.count > 1 && scheme.first?.isLetter ?? false
            && scheme.allSatisfy { $0.isLetterOrDigit || [0x2B, 0x2D, 0x2E].contains($0) }
    }
}
