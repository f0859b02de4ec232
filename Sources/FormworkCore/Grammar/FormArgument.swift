/// One argument of curl's `-F` or `--form-string`, read but not acted upon: no file is looked at.
///
/// ```
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
public struct FormArgument: Hashable, Sendable {
    /// What the argument says.
    public enum Content: Hashable, Sendable {
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

    /// A file with what is said of it.
    public struct File: Hashable, Sendable {
        /// Where it is; `-` is standard input.
        public var path: String
        /// What is said of it.
        public var parameters: Parameters

        /// Names a file.
        public init(path: String, parameters: Parameters = Parameters()) {
            self.path = path
            self.parameters = parameters
        }
    }

    /// What stands behind a `;`.
    public struct Parameters: Hashable, Sendable {
        /// The value of `type=`, parameters included; `nil` when absent.
        public var contentType: String?
        /// The value of `filename=`; `nil` when absent.
        public var filename: String?
        /// The value of `encoder=`; `nil` when absent.
        public var encoder: String?
        /// The values of `headers=` in order.
        public var headers: [Header] = []
        /// The value of `length=` in bytes, for standard input; `nil` when absent. Not curl's.
        public var length: Int64?

        /// Nothing is said.
        public init() {}
    }

    /// A value of `headers=`.
    public enum Header: Hashable, Sendable {
        /// A header line.
        case line(String)
        /// A file with header lines.
        case file(path: String)
    }

    /// The form field's name: everything before the first `=`; `nil` when that is nothing.
    public var name: String?
    /// What the argument says.
    public var content: Content
    /// What curl would warn of; empty in the strict grammar, where these are errors.
    public var warnings: [String] = []

    /// Reads `--form-string`: everything behind the first `=` is the value, as it is.
    /// - Throws: ``FormworkError/Code/invalidArgument`` when there is no `=`.
    public init(literal argument: String) throws(FormworkError) {
        let (name, rest) = try Self.splitName(argument)
        self.name = name
        self.content = .text(String(rest) ?? "", Parameters())
    }

    /// Reads `-F`.
    /// - Throws: ``FormworkError/Code/invalidArgument`` whose message has the column, counted in characters from 1, and
    ///   what to write instead.
    public init(parsing argument: String, grammar: FormGrammar = .strict) throws(FormworkError) {
        let (name, rest) = try Self.splitName(argument)
        self.name = name
        var scanner = FormArgumentScanner(argument, at: rest.startIndex, name: name ?? "", grammar: grammar)
        switch rest.first {
        case UInt8(ascii: "("):
            let place = scanner.index
            let (word, parameters) = try scanner.part(.open)
            if word != "(" {
                try scanner.complain(
                    "a value that begins with '(' opens a multipart, and what follows the '(' would be lost: put a value "
                        + "in double quotes, \(scanner.name)=\"(…\", or take --form-string", at: place)
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
        _ argument: String
    ) throws(FormworkError) -> (String?, Substring.UTF8View) {
        // Bytes, not Characters: a combining mark behind "=" would hide it.
        let bytes = argument.utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            throw FormworkError(.invalidArgument, "there is no '=': write name=value or name=@file")
        }
        let name = String(argument[..<equals])
        return (name.isEmpty ? nil : name, argument[bytes.index(after: equals)...].utf8)
    }
}

extension FormArgumentScanner {
    /// A path with what is said of it.
    fileprivate mutating func file(_ role: Role) throws(FormworkError) -> FormArgument.File {
        let place = self.index
        let (path, parameters) = try self.part(role)
        if path.isEmpty {
            try self.complain("there is no path behind '@', '<' or ',': --form-string takes text", at: place)
        }
        if parameters.length != nil, path != "-" {
            try self.complain("length= is for standard input (@- or <-) only", at: place)
        }
        return FormArgument.File(path: path, parameters: parameters)
    }
}
