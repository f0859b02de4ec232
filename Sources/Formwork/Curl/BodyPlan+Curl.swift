extension BodyPlan {
    /// Arguments with which curl makes this body, except for its boundary: `-F`, and if needed `-H` and
    /// `--form-escape`.
    ///
    /// Types are written if curl would guess another one. Paths are as the caller gave them.
    /// - Throws: ``FormworkError/Code/invalidArgument`` with the part if curl's arguments can't express it: a name with
    ///   `=`, bytes that aren't text, a slice of a file, content from code, another disposition than curl's, a type
    ///   that is found only when the content is read.
    public func curlArguments() throws(FormworkError) -> [String] {
        let framing = self.storage.framing
        var words: [String] = []
        switch framing.escaping {
        case .whatwg, .refuse: break
        case .backslash, .backslashUnchecked: words.append("--form-escape")
        case .raw: throw FormworkError(.invalidArgument, "curl always escapes names, but this form's rule is \"raw\"")
        }
        let type = framing.typeWithoutBoundary
        if type != "multipart/form-data" { words += ["-H", "Content-Type: \(type)"] }
        for part in try self.arguments(in: -1, isFormData: type.isFormDataType, self.partNumbers) {
            words += ["-F", part]
        }
        return words
    }

    private func arguments(
        in parent: Int, isFormData: Bool, _ numbers: [[Int]]
    ) throws(FormworkError) -> [String] {
        var arguments: [String] = []
        for number in numbers[parent + 1] {
            let planned = self.storage.parts[number]
            do throws(FormworkError) {
                guard let part = planned.part else { throw .unsayable("parts made by code") }
                arguments.append(try part.curlArgument(isFormData: isFormData))
                guard case .multipart(let form) = part.content.kind else { continue }
                let isFormData = form.framing.typeWithoutBoundary.isFormDataType
                arguments += try self.arguments(in: number, isFormData: isFormData, numbers) + ["=)"]
            } catch {
                throw error.naming(planned.reference)
            }
        }
        return arguments
    }
}

extension BodyPart {
    /// The part as an argument of `-F`; for a multipart, the argument that begins it.
    fileprivate func curlArgument(isFormData: Bool) throws(FormworkError) -> String {
        guard self.header.name != "" else { throw .unsayable("an empty name, which curl leaves out,") }
        let name = self.header.name ?? ""
        guard !name.utf8.contains(UInt8(ascii: "=")) else { throw .unsayable("a name with '='") }
        try self.checkDisposition(isFormData)
        let (head, path) = try self.curlContent()
        guard name != "" || head != ")" else { return "=\")\"" + (try self.curlParameters(path: nil)) }
        return "\(name)=\(head)" + (try self.curlParameters(path: path))
    }

    private func checkDisposition(_ isFormData: Bool) throws(FormworkError) {
        let isReplaced = self.header.fields.contains {
            $0.isNamed("Content-Disposition") || $0.replaces("Content-Disposition")
        }
        let hasName = self.header.name != nil || self.header.filename != nil
        let curls: DispositionType? = isReplaced ? nil : isFormData ? .formData : hasName ? .attachment : nil
        guard self.header.disposition == curls else { throw .unsayable("this Content-Disposition") }
    }

    /// The text after the `=`, and the path that curl guesses a type from.
    private func curlContent() throws(FormworkError) -> (String, path: String?) {
        let mark = self.header.filename == nil ? "<" : "@"
        switch self.source.kind {
        case .multipart: return ("(", nil)
        case .text(let text): return (try CurlWord.quoted(text, isPath: false), nil)
        case .bytes(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .unsayable("bytes that aren't text")
            }
            return (try CurlWord.quoted(text, isPath: false), nil)
        case .file(let path, BodySource.FileRange(offset: 0, length: nil), nil):
            let path = path.string == "-" ? "./-" : path.string
            return (mark + (try CurlWord.quoted(path, isPath: true)), path)
        case .descriptor(let source) where source.descriptor == .standardInput || source.spool != nil:
            return (mark + "-", nil)
        default: throw .unsayable("a slice of a file, or content from code,")
        }
    }

    private func curlParameters(path: String?) throws(FormworkError) -> String {
        guard !self.isUndecided else {
            throw FormworkError(
                .invalidArgument,
                "the type is found when the content is read, which curl's command line can't express: give the type")
        }
        var text = ""
        let isUpload = path != nil && self.header.filename != nil
        if case .multipart(let form) = self.source.kind {
            let type = form.framing.typeWithoutBoundary
            if type != "multipart/mixed" { text += ";type=" + (try CurlWord.mediaType(type, isUpload: false)) }
        } else if let type = self.header.contentType {
            if type != CurlMediaTypes.mediaType(filename: self.header.filename, path: path) {
                text += ";type=" + (try CurlWord.mediaType(type, isUpload: isUpload))
            }
        } else if let type = CurlMediaTypes.mediaType(filename: self.header.filename, path: path),
            !self.header.fields.contains(where: { $0.isNamed("Content-Type") })
        {
            throw .unsayable("no type, where curl writes \(type),")
        }
        if let filename = self.header.filename, filename != path?.basename {
            text += ";filename=" + (try CurlWord.quoted(filename, isPath: true))
        }
        switch self.header.transferEncoding {
        case nil: break
        case .base64(let columns) where columns != 76: throw .unsayable("base64 in other lines than of 76 characters")
        case let encoding?: text += ";encoder=\(encoding.token)"
        }
        for field in self.header.fields {
            if let line = field.verbatimLine, String(validating: line, as: UTF8.self) == nil {
                throw .unsayable("a header that is not UTF-8")
            }
            let line = field.verbatimLine == nil ? "\(field.name): \(field.value)" : field.value
            text += ";headers=" + (try CurlWord.quoted(line, isPath: true, always: true))
        }
        return text
    }
}

/// Writes words so that curl's grammar reads them back.
private enum CurlWord {
    /// - Parameters:
    ///   - isPath: Whether a `,` would end it.
    ///   - always: Whether to quote it even if that isn't needed.
    static func quoted(_ word: String, isPath: Bool, always: Bool = false) throws(FormworkError) -> String {
        guard !word.utf8.contains(0) else { throw .unsayable("NUL") }
        let first = word.utf8.first
        let isPlain =
            !always && first != UInt8(ascii: "\"") && !(first?.isSpace ?? false) && !(word.utf8.last?.isSpace ?? false)
            && !word.utf8.contains(UInt8(ascii: ";"))
            && (isPath ? !word.utf8.contains(UInt8(ascii: ",")) : ![0x40, 0x3C, 0x28].contains(first))
        if isPlain { return word }
        var text = "\""
        for scalar in word.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    /// A type can't be quoted, so it must not contain a blank or a keyword.
    static func mediaType(_ type: String, isUpload: Bool) throws(FormworkError) -> String {
        let parameters = type.asciiLowercased.split(separator: UInt8(ascii: ";")).dropFirst()
        let keywords = ["filename=", "headers=", "encoder="]
        let hasKeyword = parameters.contains { piece in
            keywords.contains { piece.drop(while: \.isBlank).starts(with: $0.utf8) }
        }
        // Since 8.13, curl ends a type at its first blank.
        let hasBlank = type.utf8.prefix { $0 != UInt8(ascii: ";") }.contains { $0 == 0x20 || $0 == 0x09 }
        guard !hasKeyword, !hasBlank, !isUpload || !type.utf8.contains(UInt8(ascii: ",")) else {
            throw .unsayable("the type \(type)")
        }
        return type
    }
}

extension FormworkError {
    fileprivate static func unsayable(_ what: String) -> FormworkError {
        FormworkError(.invalidArgument, "\(what) can't be expressed on curl's command line")
    }
}
