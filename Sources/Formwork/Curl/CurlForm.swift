import FormworkCore
import SystemPackage

/// A form as curl's command line describes it: `-F` and `--form-string` arguments in order.
///
/// ```swift
/// var arguments = CurlForm()
/// try arguments.append("title=Harbour")
/// try arguments.append("photo=@a.jpg;type=image/jpeg")
/// let form = try arguments.formData()
/// ```
public struct CurlForm: Sendable {
    /// What else the command line says.
    public struct Options: Sendable {
        /// Whose rules the arguments are read by.
        public var grammar: FormGrammar
        /// Whether names are escaped with backslashes (`--form-escape`).
        public var escapesWithBackslash = false
        /// How names are escaped otherwise.
        public var escaping: ParameterEscaping = .whatwg
        /// The value of `-H 'Content-Type: …'`, which chooses another multipart type than `multipart/form-data`; `nil`
        /// when there is none. A boundary in it is taken, except in curl's grammar, which appends a second.
        public var contentType: String?
        /// The body's boundary; `nil` for a random one. Those of multiparts inside follow from it.
        public var boundary: Boundary?
        /// How the types of uploads are found; `nil` takes the table, in curl's grammar curl's.
        public var types: MediaTypeDetection?
        /// Whether content in quoted-printable is read beforehand, so that the body has a length.
        public var measuresQuotedPrintable = false
        /// Whether standard input is collected in an unlinked temporary file first, so that it has a length. In curl's
        /// grammar it always is, unless it is a regular file: curl holds it in memory.
        public var spoolsStandardInput = false

        /// The strict grammar, unless said otherwise.
        public init(grammar: FormGrammar = .strict) { self.grammar = grammar }
    }

    /// What else the command line says.
    public let options: Options
    private(set) var arguments: [FormArgument] = []
    /// Multiparts that were begun and not ended.
    private var depth = 0
    /// What was lost on the way, in curl's grammar, and what is odd.
    public private(set) var warnings: [String] = []
    /// The number of the argument that a part comes from, by its places from the outside in.
    private var origins: [[Int]: Int] = [:]

    /// A form without parts.
    public init(options: Options = Options()) { self.options = options }

    /// Adds what `-F` says.
    /// - Throws: ``FormworkError/Code/invalidArgument`` with the column and what to write instead.
    public mutating func append(_ argument: String) throws(FormworkError) {
        let argument = try FormArgument(parsing: argument, grammar: self.options.grammar)
        switch argument.content {
        case .open: self.depth += 1
        case .close:
            guard self.depth > 0 else {
                throw FormworkError(.invalidArgument, "column 2: there is no multipart to end: 'name=(' begins one")
            }
            self.depth -= 1
        default: break
        }
        self.warnings += argument.warnings
        self.arguments.append(argument)
    }

    /// Adds what `--form-string` says.
    /// - Throws: ``FormworkError/Code/invalidArgument`` when there is no `=`.
    public mutating func append(literal argument: String) throws(FormworkError) {
        self.arguments.append(try FormArgument(literal: argument))
    }

    /// The number, from 0, of the argument that a part named in an error or a layout comes from; `nil` when none does.
    public func argument(of part: PartReference) -> Int? {
        var place = part.enclosing + [part.index]
        // A file of a list has the place of its own, and the list's argument.
        while !place.isEmpty, self.origins[place] == nil { place.removeLast() }
        return self.origins[place]
    }

    /// The form that the arguments say. Files with headers are read, and standard input where it is to be spooled.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument`, `sourceUnavailable`, `writeFailed` for a disk that
    ///   is full.
    public mutating func formData() throws(FormworkError) -> FormData {
        var builder = try CurlFormBuilder(self.options)
        for (number, argument) in self.arguments.enumerated() {
            // `=)` belongs to the multipart that it ends.
            let place = argument.content == .close ? nil : builder.place
            if let place { self.origins[place] = number }
            do throws(FormworkError) {
                try builder.append(argument)
            } catch {
                var error = error
                if let place, error.part == nil {
                    error.part = PartReference(index: place.last!, name: argument.name, enclosing: place.dropLast())
                }
                throw error
            }
        }
        let form = try builder.finish()
        self.warnings += builder.warnings
        return form
    }
}

/// The status that curl ends with where it has no other name for an error.
package struct CurlStatus: Error, CustomStringConvertible {
    package let code: Int32
    package var description: String { "curl's error \(self.code)" }
}
