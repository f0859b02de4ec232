@testable import Formwork
@testable import FormworkCore

/// Arguments of `-F`, separated by U+001F: each by itself, then all as a form.
///
/// Not NUL, which would make the corpus no text, and which an argument may hold where no shell gave it.
func fuzzGrammar(_ input: [UInt8]) {
    let arguments = input.split(separator: 0x1F).map { String(decoding: $0, as: UTF8.self) }
    for argument in arguments { checkArgument(argument) }
    for grammar in FormGrammar.allCases { checkForm(arguments, grammar, Dice(input)) }
}

private func parsed(_ argument: String, _ grammar: FormGrammar) -> FormArgument? {
    do throws(FormworkError) {
        return try FormArgument(parsing: argument, grammar: grammar)
    } catch {
        check(error.code == .invalidArgument, "\(error.code) from a parser")
        check(!error.description.unicodeScalars.contains { $0.value < 0x20 }, "an error of several lines")
        return nil
    }
}

private func checkArgument(_ argument: String) {
    let equals = argument.utf8.firstIndex(of: 0x3D)
    let literal = try? FormArgument(literal: argument)
    check((literal == nil) == (equals == nil), "a literal wants '=' and nothing else")
    if let literal, let equals {
        guard case .text(let text, FormArgument.Parameters()) = literal.content else { fatalError("a literal is text") }
        check("\(literal.name ?? "")=\(text)".utf8.elementsEqual(argument.utf8), "a literal changes bytes")
        check(literal.name?.utf8.count ?? 0 == argument.utf8[..<equals].count, "a name ends at the first '='")
    }

    guard let strict = parsed(argument, .strict) else {
        _ = parsed(argument, .curl)
        return
    }
    check(strict.warnings.isEmpty, "the strict grammar warns")
    let isOurs = argument.lowercased().contains("length=")
    guard let curl = parsed(argument, .curl) else { return check(isOurs, "curl's grammar takes less") }
    guard !isOurs else { return }
    // A type's quoted parameter may hold `;` in the strict grammar; curl cuts it there.
    guard !(argument.contains("\"") && argument.lowercased().contains("type=")) else { return }
    // An argument accepted without an error must be read as curl reads it.
    check(curl.warnings.isEmpty, "curl's grammar warns where the strict one takes: \(curl.warnings)")
    check(curl == strict, "curl's grammar reads \(curl), the strict one \(strict)")
}

private func checkForm(_ texts: [String], _ grammar: FormGrammar, _ start: Dice) {
    var dice = start
    var form = CurlForm(grammar: grammar)
    form.escapesWithBackslash = dice.roll(2) == 0
    form.measuresQuotedPrintable = dice.roll(2) == 0
    form.boundary = dice.roll(2) == 0 ? .random() : nil
    var arguments: [FormArgument] = []
    for text in texts {
        guard let argument = parsed(text, grammar), argument.isHarmless, (try? form.append(text)) != nil else {
            continue
        }
        arguments.append(argument)
    }
    do throws(FormworkError) {
        let data = try form.formData()
        let plan = try data.plan()
        let body = try readWhole(plan, &dice)
        try checkSeeking(plan, body, &dice)
        guard grammar == .strict else { return }
        let boundary = data.framing.boundary.text
        check(boundaries(in: plan.contentType) == [boundary], "Content-Type is \(plan.contentType)")
        var rest = arguments[...]
        let expected = Expected.parts(&rest, isFormData: true)
        check(rest.isEmpty, "a form ends before its arguments")
        compare(body[...], boundary: boundary, expected, escapes: form.escapesWithBackslash)
    } catch {
        check(!error.description.unicodeScalars.contains { $0.value < 0x20 }, "an error of several lines")
    }
}

extension FormArgument {
    /// Whether no file outside the working folder is named, and not standard input.
    fileprivate var isHarmless: Bool {
        switch self.content {
        case .text(_, let parameters), .open(let parameters): parameters.isHarmless
        case .contents(let file): file.isHarmless
        case .files(let files): files.allSatisfy(\.isHarmless)
        case .close: true
        }
    }
}

extension FormArgument.File {
    fileprivate var isHarmless: Bool { isHarmlessPath(self.path) && self.parameters.isHarmless }
}

extension FormArgument.Parameters {
    fileprivate var isHarmless: Bool {
        self.headers.allSatisfy { if case .file(let path) = $0 { isHarmlessPath(path) } else { true } }
    }
}

/// NUL, which no command line can hold, would cut a path.
private func isHarmlessPath(_ path: String) -> Bool { path != "-" && !path.utf8.contains { $0 == 0x2F || $0 == 0x00 } }

// MARK: - The expected form

/// The lines of the file `h`, as a form's part gets them: the folded line in one, and no comment.
let headerFile = "X-One: 1\nX-Two: 2\n  folded\n# no header\n"
private let headerFileLines = ["X-One: 1", "X-Two: 2  folded"]

private struct Expected {
    var name: String?
    var filename: String?
    /// The content; `nil` when it is encoded.
    var text: String?
    var parts: [Expected]?
    var lineCount = 0

    /// The parts up to the end of the multipart that `arguments` are in.
    static func parts(_ arguments: inout ArraySlice<FormArgument>, isFormData: Bool) -> [Expected] {
        var parts: [Expected] = []
        while let argument = arguments.popFirst() {
            let name = argument.name
            switch argument.content {
            case .text(let text, let parameters):
                parts.append(Expected(name, parameters, content: text, isFormData: isFormData))
            case .contents(let file): parts.append(Expected(name, file, isFormData: isFormData))
            case .files(let files) where files.count == 1:
                parts.append(Expected(name, file: files[0], isFormData: isFormData))
            case .files(let files):
                var part = Expected(
                    name, FormArgument.Parameters(), content: nil, isFormData: isFormData, hasType: true)
                part.parts = files.map { Expected(nil, file: $0, isFormData: false) }
                parts.append(part)
            case .open(let parameters):
                var part = Expected(name, parameters, content: nil, isFormData: isFormData, hasType: true)
                part.parts = Self.parts(&arguments, isFormData: parameters.saysFormData)
                parts.append(part)
            case .close: return parts
            }
        }
        return parts
    }

    init(
        _ name: String?, _ parameters: FormArgument.Parameters, content: String?, isFormData: Bool,
        hasType: Bool = false
    ) {
        let lines = parameters.allLines
        let isReplaced = lines.contains { $0.lowercased().hasPrefix("content-disposition:") }
        let hasDisposition = !isReplaced && (isFormData || name != nil || parameters.filename != nil)
        if hasDisposition { (self.name, self.filename) = (name, parameters.filename) }
        let types = lines.filter { $0.lowercased().hasPrefix("content-type:") }.count
        let isTyped = hasType || types > 0 || parameters.contentType != nil || parameters.filename != nil
        self.lineCount =
            lines.count - types + (isTyped ? 1 : 0) + (hasDisposition ? 1 : 0) + (parameters.encoder == nil ? 0 : 1)
        self.text = parameters.isEncoded ? nil : content
    }

    /// A field with a file's content.
    init(_ name: String?, _ file: FormArgument.File, isFormData: Bool) {
        self.init(name, file.parameters, content: Self.content(file.path), isFormData: isFormData)
    }

    /// An upload.
    init(_ name: String?, file: FormArgument.File, isFormData: Bool) {
        var parameters = file.parameters
        parameters.filename = parameters.filename ?? file.path
        self.init(name, parameters, content: Self.content(file.path), isFormData: isFormData)
    }

    private static func content(_ path: String) -> String {
        check(path == "a.txt" || path == "h", "there is no file \(shown(path.utf8)), but it has content")
        return path == "h" ? headerFile : "A file.\r\n"
    }
}

extension FormArgument.Parameters {
    fileprivate var allLines: [String] {
        self.headers.flatMap { header -> [String] in
            switch header {
            case .line(let line): return [line]
            case .file(let path):
                check(path == "h", "there are no headers in \(shown(path.utf8))")
                return headerFileLines
            }
        }
    }

    fileprivate var isEncoded: Bool { self.encoder.map { !["8bit", "binary"].contains($0.lowercased()) } ?? false }

    fileprivate var saysFormData: Bool {
        let prefix = "content-type:"
        let line = self.allLines.first { $0.lowercased().hasPrefix(prefix) }
        let type = self.contentType ?? line.map { String($0.dropFirst(prefix.count).drop { $0 == " " }) } ?? ""
        return type.utf8.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }.map { $0 | 0x20 }
            .elementsEqual("multipart/form-data".utf8.map { $0 | 0x20 })
    }
}

private func compare(_ body: ArraySlice<UInt8>, boundary: String, _ expected: [Expected], escapes: Bool) {
    if expected.isEmpty {
        return check(body.elementsEqual("--\(boundary)--\r\n".utf8), "no parts become \(shown(body))")
    }
    let parts = parse(body, boundary: boundary)
    check(parts.count == expected.count, "\(parts.count) parts instead of \(expected.count)")
    for (part, expected) in zip(parts, expected) {
        let lines = part.lines.map(shown)
        check(lines.count == expected.lineCount, "\(lines) instead of \(expected.lineCount) lines")
        var disposition = ""
        if let name = expected.name { disposition += "; name=\"\(escaped(name, escapes))\"" }
        if let filename = expected.filename { disposition += "; filename=\"\(escaped(filename, escapes))\"" }
        if !disposition.isEmpty {
            let value = part.value(of: "Content-Disposition") ?? []
            let rest = value.drop { $0 != 0x3B }
            check(rest.elementsEqual(disposition.utf8), "\(shown(value)) instead of \(disposition)")
        }
        if let text = expected.text { check(part.content.elementsEqual(text.utf8), "the content differs from \(text)") }
        if let inner = expected.parts {
            let type = String(decoding: part.value(of: "Content-Type") ?? [], as: UTF8.self)
            // curl's grammar writes an unterminated quote unchanged, which hides the boundary.
            guard let boundary = boundaries(in: type) else { continue }
            check(boundary.count == 1, "a multipart of type \(shown(type.utf8))")
            compare(part.content, boundary: boundary[0], inner, escapes: escapes)
        }
    }
}

private func escaped(_ text: String, _ withBackslash: Bool) -> String {
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
        switch (byte, withBackslash) {
        case (0x22, true): Array("\\\"".utf8)
        case (0x5C, true): Array("\\\\".utf8)
        case (0x22, false): Array("%22".utf8)
        case (0x0D, false): Array("%0D".utf8)
        case (0x0A, false): Array("%0A".utf8)
        default: [byte]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
