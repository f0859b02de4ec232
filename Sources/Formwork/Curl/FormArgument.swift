/// One argument of curl's `-F` or `--form-string`, only parsed: no file is accessed.
///
/// ```text
/// argument = name "=" content                     ; the name ends at the first "="
/// content  = "(" parameters                       ; begins a multipart inside the form
///          | ")"                                  ; ends it; only without a name, and alone
///          | "@" file *("," file)                 ; uploads; two or more become a multipart/mixed
///          | "<" word parameters                  ; a field with a file's content
///          | word parameters                      ; a field
/// file     = word parameters
/// parameters = *(";" ("type=" | "filename=" | "encoder=" | "headers=" | "length=") value)
/// word     = DQUOTE *(any | "\\" | "\"") DQUOTE | bare text without ";", and in files without ","
/// ```
package struct FormArgument: Hashable, Sendable {
    /// The content of an argument.
    package enum Content: Hashable, Sendable {
        /// A field with this text.
        case text(String, Parameters)
        /// A field with a file's content; `-` is standard input.
        case contents(of: File)
        /// File uploads.
        case files([File])
        /// The beginning of a multipart.
        case open(Parameters)
        /// The end of the multipart begun last.
        case close
    }

    /// A file with its parameters.
    package struct File: Hashable, Sendable {
        /// Its path; `-` is standard input.
        package var path: String
        /// Its parameters.
        package var parameters = Parameters()
    }

    /// The parameters after `;`.
    package struct Parameters: Hashable, Sendable {
        /// The value of `type=`, with its parameters; `nil` when absent.
        var contentType: String?
        /// The value of `filename=`; `nil` when absent.
        package var filename: String?
        /// The value of `encoder=`; `nil` when absent.
        var encoder: String?
        /// The values of `headers=` in order.
        package var headers: [Header] = []
        /// The value of `length=` in bytes, for standard input, a FIFO or a device; `nil` when absent. curl doesn't have it.
        var length: Int64?
    }

    /// A value of `headers=`.
    package enum Header: Hashable, Sendable {
        /// A header line.
        case line(String)
        /// A file with header lines.
        case file(path: String)
    }

    /// The form field's name: the text before the first `=`; `nil` if that is empty.
    package var name: String?
    /// The argument's content.
    package var content: Content
    /// curl's warnings; empty in the strict grammar, where these are errors.
    var warnings: [String] = []

    /// Reads an argument of `--form-string`: the text after the first `=` is the literal value.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if there is no `=`.
    init(literal argument: String) throws(FormworkError) {
        let (name, rest) = try Self.splitName(argument, example: "name=value")
        self.name = name
        self.content = .text(String(rest) ?? "", Parameters())
    }

    /// Reads an argument of `-F`.
    /// - Throws: ``FormworkError/Code/invalidArgument``, with the column, in characters from 1, and a correction.
    package init(parsing argument: String, grammar: FormGrammar = .strict) throws(FormworkError) {
        let (name, rest) = try Self.splitName(argument, example: "name=value or name=@file")
        self.name = name
        var scanner = FormArgumentScanner(argument, at: rest.startIndex, name: name ?? "", grammar: grammar)
        switch rest.first {
        case UInt8(ascii: "("):
            let place = scanner.index
            let (word, parameters) = try scanner.part(.open)
            if word != "(" {
                try scanner.complain(
                    "'(' at the start of a value opens a multipart, and the text after it would be lost: put a value "
                        + "in double quotes, \(scanner.name)=\"(…\", or use --form-string", at: place)
            }
            self.content = .open(parameters)
        case UInt8(ascii: ")") where name == nil && rest.count == 1: self.content = .close
        case UInt8(ascii: "@"):
            var files: [File] = []
            repeat {
                scanner.skip()
                files.append(try scanner.file(.upload))
            } while scanner.peek == UInt8(ascii: ",")
            self.content = .files(files)
        case UInt8(ascii: "<"):
            scanner.skip()
            self.content = .contents(of: try scanner.file(.contents))
        default:
            let (word, parameters) = try scanner.part(.text)
            self.content = .text(word, parameters)
        }
        self.warnings = scanner.warnings
    }

    private static func splitName(
        _ argument: String, example: String
    ) throws(FormworkError) -> (String?, Substring.UTF8View) {
        // Bytes, not Characters: a combining mark after "=" would hide it.
        let bytes = argument.utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            throw FormworkError(.invalidArgument, "there is no '=': write \(example)")
        }
        let name = String(argument[..<equals])
        return (name.isEmpty ? nil : name, argument[bytes.index(after: equals)...].utf8)
    }
}

extension FormArgumentScanner {
    /// A path with its parameters.
    fileprivate mutating func file(_ role: Role) throws(FormworkError) -> FormArgument.File {
        let place = self.index
        let (path, parameters) = try self.part(role)
        if path.isEmpty {
            try self.complain("there is no path after '@', '<' or ',': use --form-string for text", at: place)
        }
        return FormArgument.File(path: path, parameters: parameters)
    }
}

/// The grammar of `-F` arguments.
public enum FormGrammar: String, Hashable, Sendable, Codable, CaseIterable {
    /// curl's grammar, in which all text that curl drops silently is an error: text after a closing quote, an unknown
    /// `;word` (such as the rest of a JSON value with `;`), a parameter without a meaning, an invalid header.
    case strict
    /// curl 7.88.1, byte for byte: text that curl drops is dropped, with curl's warnings.
    case curl
}
