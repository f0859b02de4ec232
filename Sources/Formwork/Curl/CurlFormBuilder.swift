import FormworkSystem

/// Turns arguments into parts, one after the other.
struct CurlFormBuilder {
    /// A multipart to which parts are added.
    private struct Level {
        /// The header section of the part that contains it.
        var header = PartHeader()
        var form: FormData
        /// Whether its parts are `form-data`. Other multiparts have attachments.
        var isFormData: Bool
        var count = 0
    }

    private let options: CurlForm
    private var isCurl: Bool { self.options.grammar == .curl }
    private var levels: [Level] = []
    private var boundaries: BoundarySource
    private var standardInput: CurlStandardInput
    private(set) var warnings: [String] = []
    /// The indices of the first form field without a name.
    private var unnamed: [Int]?

    init(_ options: CurlForm) throws(FormworkError) {
        self.options = options
        self.boundaries = BoundarySource(options)
        self.standardInput = CurlStandardInput(options)
        let boundary = options.boundary ?? self.boundaries.next()
        self.levels = [try self.level(options.contentType ?? "multipart/form-data", boundary)]
        self.levels[0].form.types = options.types ?? (options.grammar == .curl ? .curl : nil)
    }

    /// The indices of the next part, from the outside in.
    var place: [Int] { self.levels.map(\.count) }

    mutating func append(_ argument: FormArgument) throws(FormworkError) {
        switch argument.content {
        case .text(let text, let parameters):
            try self.append(argument.name, .text(text), parameters, path: nil, isUpload: false)
        case .contents(let file): try self.append(argument.name, file, isUpload: false)
        case .files(let files) where files.count == 1: try self.append(argument.name, files[0], isUpload: true)
        case .files(let files):
            try self.open(argument.name, FormArgument.Parameters())
            for file in files { try self.append(nil, file, isUpload: true) }
            try self.close()
        case .open(let parameters): try self.open(argument.name, parameters)
        case .close: try self.close()
        }
    }

    mutating func finish() throws(FormworkError) -> FormData {
        if self.levels.count > 1, !self.isCurl {
            self.warnings.append(
                "the form ends inside \(self.levels.count - 1, "multipart") begun with '=(': add -F '=)' after the last "
                    + "part of each"
            )
        }
        while self.levels.count > 1 { try self.close() }
        if let unnamed = self.unnamed {
            let part = PartReference(index: unnamed.last ?? 0, name: nil, enclosing: unnamed.dropLast())
            self.warnings.append(
                "\(part) has no name, which RFC 7578 §4.2 requires: servers drop it or fail; write name=… to add one")
        }
        return self.levels[0].form
    }

    // MARK: - Multiparts

    private func level(_ contentType: String, _ boundary: Boundary) throws(FormworkError) -> Level {
        let escaping: ParameterEscaping =
            if self.options.escapesWithBackslash {
                self.isCurl ? .backslashUnchecked : .backslash
            } else {
                self.options.escaping
            }
        var framing: MultipartFraming
        if self.isCurl {
            framing = MultipartFraming(boundary: boundary, escaping: escaping)
            framing.verbatimType = contentType
        } else {
            framing = try MultipartFraming(contentType: contentType, boundary: boundary, escaping: escaping)
        }
        return Level(form: FormData(framing: framing), isFormData: contentType.isFormDataType)
    }

    private mutating func open(_ name: String?, _ parameters: FormArgument.Parameters) throws(FormworkError) {
        var (fields, contentType) = try self.fields(parameters)
        let type = contentType.map { String(decoding: $0, as: UTF8.self) } ?? "multipart/mixed"
        var level = try self.level(type, self.boundaries.next())
        level.header = self.header(name, nil, &fields)
        if self.isCurl, let contentType {
            let type = contentType + Array("; boundary=\(level.form.framing.boundary)".utf8)
            self.setType(type, of: &level.header, &fields)
        }
        level.header.fields = fields
        self.levels.append(level)
    }

    private mutating func close() throws(FormworkError) {
        let level = self.levels.removeLast()
        self.add(BodyPart(header: level.header, source: .multipart(level.form)))
    }

    private mutating func add(_ part: BodyPart) {
        if !self.isCurl, part.header.disposition == .formData, part.header.name == nil, self.unnamed == nil {
            self.unnamed = self.place
        }
        self.levels[self.levels.count - 1].form.append(part)
        self.levels[self.levels.count - 1].count += 1
    }

    // MARK: - Parts

    private mutating func append(
        _ name: String?, _ file: FormArgument.File, isUpload: Bool
    ) throws(FormworkError) {
        if file.path == "-" {
            let source = try self.standardInput.take(length: file.parameters.length)
            var parameters = file.parameters
            if isUpload, parameters.filename == nil { parameters.filename = "-" }
            return try self.append(name, source, parameters, path: nil, isUpload: isUpload)
        }
        // Only curl's grammar has it.
        guard !file.path.isEmpty else { throw FormworkError(.sourceUnavailable, "the path is empty") }
        var parameters = file.parameters
        if isUpload, parameters.filename == nil { parameters.filename = file.path.basename }
        let path = try FilePath(ofFile: file.path)
        // curl reads a directory as an empty file of unknown length.
        let isDirectory = self.isCurl && (try? SystemCalls.status(of: path))?.kind == .directory
        let source: BodySource =
            isDirectory
            ? .stream { _ in ChunkStream([UInt8](), from: 0) }
            : try self.standardInput.source(at: path, length: parameters.length)
        try self.append(name, source, parameters, path: file.path, isUpload: isUpload)
    }

    /// - Parameter path: The file's path, from which curl also guesses the type; `nil` if it isn't a file.
    private mutating func append(
        _ name: String?, _ source: BodySource, _ parameters: FormArgument.Parameters, path: String?, isUpload: Bool
    ) throws(FormworkError) {
        var (fields, contentType) = try self.fields(parameters)
        var header = self.header(name, parameters.filename, &fields)
        if let encoder = parameters.encoder {
            header.transferEncoding = try self.encoding(encoder, of: source)
        }
        var findsType = false
        if let contentType {
            self.setType(contentType, of: &header, &fields)
        } else if self.isCurl {
            header.contentType = CurlMediaTypes.mediaType(filename: parameters.filename, path: path)
        } else {
            findsType = parameters.filename != nil
        }
        header.fields = fields
        // Browsers send an empty file like that, and receivers take each for none.
        if !self.isCurl, header.filename?.isEmpty ?? false, !source.isEmptyText {
            self.warnings.append(
                "the file of \"\(name ?? "")\" has an empty name, and some receivers drop its content: write filename=NAME, or "
                    + "leave filename= out")
        }
        self.add(BodyPart(header: header, source: source, findsType: findsType))
    }

    private mutating func header(_ name: String?, _ filename: String?, _ fields: inout [HeaderField]) -> PartHeader {
        let isReplaced = fields.contains {
            $0.isNamed("Content-Disposition") || $0.replaces("Content-Disposition")
        }
        let isFormData = self.levels.last?.isFormData ?? true
        // In other multiparts a part without name and filename needs no disposition.
        if isReplaced, isFormData, !self.isCurl, let name {
            let isNamed = fields.contains { $0.isNamed("Content-Disposition") && $0.value.hasNameParameter }
            if !isNamed {
                self.warnings.append(
                    "the headers of \"\(name)\" replace Content-Disposition by one without a name, so its part has no "
                        + "name and no filename: add ; name=\"…\" to it, or leave it out")
            }
        }
        guard !isReplaced, isFormData || name != nil || filename != nil else { return PartHeader(disposition: nil) }
        return PartHeader(disposition: isFormData ? .formData : .attachment, name: name, filename: filename)
    }

    /// Sets the part's type. curl writes invalid types too, so those are sent as an unchecked line at the type's place.
    private func setType(_ type: [UInt8], of header: inout PartHeader, _ fields: inout [HeaderField]) {
        if let text = String(validating: type, as: UTF8.self),
            !self.isCurl || (try? PartHeader.checkMediaType(text)) != nil
        {
            header.contentType = text
            return
        }
        var lines = [HeaderField(verbatim: Array("Content-Type: ".utf8) + type)]
        let encoding = "Content-Transfer-Encoding"
        if let token = header.transferEncoding?.token, !fields.contains(where: { $0.replaces(encoding) }) {
            lines.append(HeaderField(verbatim: Array("\(encoding): \(token)".utf8)))
        }
        fields = lines + fields
    }

    private func encoding(_ name: String, of source: BodySource) throws(FormworkError) -> TransferEncoding {
        switch TransferEncoding(token: name) {
        case .quotedPrintable: return .quotedPrintable(isMeasured: self.options.measuresQuotedPrintable)
        case .sevenBit: return .sevenBit(allowsNUL: self.isCurl)
        case let encoding?: return encoding
        case nil:
            // curl reports a source that it can't open before this error, and content that doesn't fit its encoder after it.
            for level in self.levels {
                do throws(FormworkError) { _ = try level.form.plan() } catch {
                    if error.code == .sourceUnavailable { throw error }
                }
            }
            _ = try BodyPlan(copying: source)
            throw FormworkError(
                .invalidArgument,
                "\"\(name)\" is not a transfer encoding: use base64, quoted-printable, 7bit, 8bit or binary",
                cause: CurlStatus(code: 43))
        }
    }

    // MARK: - Headers

    /// The fields of `headers=`, and the type from them or from `type=`.
    private mutating func fields(
        _ parameters: FormArgument.Parameters
    ) throws(FormworkError) -> ([HeaderField], contentType: [UInt8]?) {
        var lines: [[UInt8]] = []
        for header in parameters.headers {
            switch header {
            case .line(let line): lines.append(Array(line.utf8))
            case .file(let path): lines += try self.lines(ofFile: path)
            }
        }
        var contentType = parameters.contentType.map { Array($0.utf8) }
        var fields: [HeaderField] = []
        for line in lines {
            let field =
                self.isCurl ? HeaderField(verbatim: line) : try HeaderField(line: String(decoding: line, as: UTF8.self))
            guard field.isNamed("Content-Type") || field.replaces("Content-Type") else {
                fields.append(field)
                continue
            }
            if contentType != nil, !self.isCurl {
                throw FormworkError(
                    .invalidArgument, "the type is given twice: leave out \(field.value)")
            }
            let value = line.dropFirst("Content-Type:".utf8.count)
            contentType = contentType ?? (self.isCurl ? Array(value.drop { $0 == 0x20 }) : Array(field.value.utf8))
        }
        return (fields, contentType)
    }

    private mutating func lines(ofFile path: String) throws(FormworkError) -> [[UInt8]] {
        let bytes: [UInt8]
        do throws(FormworkError) {
            bytes = try BodyPlan(copying: .file(FilePath(ofFile: path))).bytes(upTo: 1 << 20)
        } catch {
            guard self.isCurl, let cause = error.cause else { throw error.withoutPlace }
            self.warnings.append("Cannot read from \(path): \(cause)")
            return []
        }
        do throws(FormworkError) {
            return try HeaderFile.lines(in: bytes, grammar: self.options.grammar, warnings: &self.warnings)
        } catch {
            var error = error
            error.path = path
            throw error
        }
    }
}

extension String {
    /// Whether a `Content-Disposition` has the parameter `name`.
    fileprivate var hasNameParameter: Bool {
        self.asciiLowercased.split(separator: UInt8(ascii: ";")).dropFirst().contains { parameter in
            let text = parameter.drop(while: \.isBlank)
            return ["name=", "name ", "name*="].contains { text.starts(with: $0.utf8) }
        }
    }

    /// curl's test for `multipart/form-data`, with any parameters.
    var isFormDataType: Bool {
        let type = "multipart/form-data"
        guard self.prefix(type.count).lowercased() == type else { return false }
        let next = self.utf8.dropFirst(type.utf8.count).first
        return next == nil || next == 0x3B || next == 0x20 || next == 0x09 || next == 0x0D || next == 0x0A
    }

    /// The last component, without trailing slashes.
    var basename: String {
        let bytes = self.utf8
        guard let last = bytes.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return self.isEmpty ? "" : "/" }
        let start = bytes[..<last].lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) }
        return String(self[(start ?? self.startIndex)...last])
    }
}

/// Boundaries in order, for the body and the multiparts in it.
private struct BoundarySource {
    private var generator: SplitMix64?
    private let isCurl: Bool

    init(_ options: CurlForm) {
        // Inner boundaries are derived from the caller's, so that the same command line makes the same bytes.
        self.generator = options.boundary.map { SplitMix64(seed: $0.text) }
        self.isCurl = options.grammar == .curl
    }

    mutating func next() -> Boundary {
        var system = SystemRandomNumberGenerator()
        if self.generator != nil {
            return self.isCurl ? .curl(using: &self.generator!) : .random(using: &self.generator!)
        }
        return self.isCurl ? .curl(using: &system) : .random(using: &system)
    }
}
