/// One form field as curl's `-F` writes it: `name=value`, `name=@path`, `name=<path`, with `;type=`, `;filename=` and,
/// for standard input, `;length=`.
///
/// The plain core of curl's grammar. What curl would drop with a warning (text behind a closing quote, an unknown
/// `;word`) is an error here.
public struct FormArgument: Hashable, Sendable {
    /// Where the part's content comes from.
    public enum Content: Hashable, Sendable {
        /// The text itself.
        case text(String)
        /// A file's content; `path` is `-` for standard input.
        case file(path: String)
    }

    /// The form field's name: everything before the first `=`, possibly empty.
    public var name: String
    /// Where the content comes from.
    public var content: Content
    /// Whether the content is a file upload (`@`), which has a filename, or a field (`=`, `<`), which has none unless
    /// ``filename`` says so.
    public var isUpload: Bool
    /// The value of `type=`, parameters included; `nil` when absent.
    public var contentType: String?
    /// The value of `filename=`; `nil` when absent.
    public var filename: String?
    /// The value of `length=` in bytes; `nil` when absent.
    public var length: Int64?

    /// Reads `--form-string`: everything behind the first `=` is the value, as it is.
    /// - Throws: ``FormworkError/Code/invalidArgument`` when there is no `=`.
    public init(literal argument: String) throws(FormworkError) {
        let (name, rest) = try Self.splitName(argument)
        self.init(name: name, content: .text(String(rest)), isUpload: false)
    }

    /// Reads `-F`.
    /// - Throws: ``FormworkError/Code/invalidArgument`` whose message has the column, counted in characters from 1, and
    ///   what to write instead.
    public init(parsing argument: String) throws(FormworkError) {
        let (name, rest) = try Self.splitName(argument)
        var scanner = FormArgumentScanner(argument, at: rest.startIndex)
        switch rest.unicodeScalars.first {
        case "@", "<":
            self.isUpload = rest.unicodeScalars.first == "@"
            scanner.skip()
            let column = scanner.column
            let path = try scanner.word(endingAt: self.isUpload ? ",;" : ";")
            guard !path.isEmpty else {
                throw scanner.error("there is no path behind '@' or '<': --form-string takes text", column: column)
            }
            self.content = .file(path: path)
            if scanner.peek == "," {
                throw scanner.error(
                    "a ',' separates files in curl: put a path that holds one in double quotes, \(name)=@\"a,b\", and "
                        + "give every file its own -F")
            }
        case "(":
            throw scanner.error("a value that begins with '(' needs double quotes, \(name)=\"(…\", or --form-string")
        default:
            self.isUpload = false
            self.content = .text(try scanner.word(endingAt: ";"))
        }
        self.name = name
        try self.readParameters(&scanner)
    }

    private init(name: String, content: Content, isUpload: Bool) {
        self.name = name
        self.content = content
        self.isUpload = isUpload
    }

    private static func splitName(_ argument: String) throws(FormworkError) -> (String, Substring) {
        // Scalars, not Characters: a combining mark behind "=" would hide it.
        let scalars = argument.unicodeScalars
        guard let equals = scalars.firstIndex(of: "=") else {
            throw FormworkError(.invalidArgument, "there is no '=': write name=value or name=@file")
        }
        return (String(scalars[..<equals]), argument[scalars.index(after: equals)...])
    }

    private mutating func readParameters(_ scanner: inout FormArgumentScanner) throws(FormworkError) {
        while !scanner.isAtEnd {
            scanner.skip()  // the ";"
            scanner.skipBlanks()
            let column = scanner.column
            guard let keyword = scanner.keyword() else { throw self.unknownWord(scanner) }
            switch keyword {
            case "type":
                guard self.contentType == nil else { throw scanner.error("type= is given twice", column: column) }
                let mediaType = try scanner.mediaType()
                guard !mediaType.isEmpty else { throw scanner.error("type= has no type behind it", column: column) }
                self.contentType = mediaType
            case "filename":
                guard self.filename == nil else { throw scanner.error("filename= is given twice", column: column) }
                if case .file = self.content, !self.isUpload {
                    throw scanner.error("a '<' part is a field without a filename: use '@'", column: column)
                }
                self.filename = try scanner.word(endingAt: ";")
            default:
                guard case .file(path: "-") = self.content else {
                    throw scanner.error("length= is for standard input (@- or <-) only", column: column)
                }
                guard self.length == nil else { throw scanner.error("length= is given twice", column: column) }
                let digits = try scanner.word(endingAt: ";")
                guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int64(digits) else {
                    throw scanner.error("length= takes a number of bytes, not \"\(digits)\"", column: column)
                }
                self.length = length
            }
        }
    }

    private func unknownWord(_ scanner: FormArgumentScanner) -> FormworkError {
        let fix =
            switch self.content {
            case .text: "a value that holds ';' needs --form-string, or double quotes: \(self.name)=\"…;…\""
            case .file: "a path that holds ';' needs double quotes, \(self.name)=@\"…;…\""
            }
        return scanner.error("\"\(scanner.segment)\" is none of type=, filename=, length=; \(fix)")
    }
}
