/// A form described by curl's command line: `-F` and `--form-string` arguments in order.
///
/// ```swift
/// var arguments = CurlForm()
/// try arguments.append("title=Harbour")
/// try arguments.append("photo=@a.jpg;type=image/jpeg")
/// let form = try arguments.formData()
/// ```
public struct CurlForm: Sendable {
    /// The grammar of the arguments.
    public let grammar: FormGrammar
    /// Whether names are escaped with backslashes (`--form-escape`).
    public var escapesWithBackslash = false
    /// How names are escaped otherwise.
    public var escaping: ParameterEscaping = .whatwg
    /// The value of `-H 'Content-Type: …'`; `nil` for `multipart/form-data`. A
    /// boundary in it is used, except in curl's grammar, which appends a second one.
    public var contentType: String?
    /// The body's boundary; `nil` for a random one. The boundaries of nested multiparts are derived from it.
    public var boundary: Boundary?
    /// How the types of files are found; `nil` uses the extension table, or curl's table in curl's grammar.
    public var types: MediaTypeDetection?
    /// Whether content in quoted-printable is read when the form is planned, so that the body has a length.
    package var measuresQuotedPrintable = false
    /// Whether standard input and FIFOs are collected in an unlinked temporary file first, so that they have a length and
    /// can be read again. In curl's grammar only standard input is, unless it is a regular file, and always, because
    /// curl reads it into memory.
    package var spoolsPipes = false

    private(set) var arguments: [FormArgument] = []
    /// The number of multiparts that were begun and not ended.
    private var depth = 0
    /// Warnings about unusual arguments, and about what curl's grammar dropped.
    public private(set) var warnings: [String] = []
    /// The number of the argument that a part comes from, by the part's indices from the outside in.
    private var origins: [[Int]: Int] = [:]

    /// A form without parts. Set the other options of the command line afterwards.
    public init(grammar: FormGrammar = .strict) { self.grammar = grammar }

    /// Adds an argument of `-F`.
    /// - Throws: ``FormworkError/Code/invalidArgument`` with the column and what to write instead.
    public mutating func append(_ argument: String) throws(FormworkError) {
        try self.append(FormArgument(parsing: argument, grammar: self.grammar))
    }

    /// Adds an argument that was read already.
    package mutating func append(_ argument: FormArgument) throws(FormworkError) {
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

    /// Adds an argument of `--form-string`.
    /// - Throws: ``FormworkError/Code/invalidArgument`` when there is no `=`.
    public mutating func append(literal argument: String) throws(FormworkError) {
        self.arguments.append(try FormArgument(literal: argument))
    }

    /// The number of arguments so far.
    package var argumentCount: Int { self.arguments.count }

    /// The number, from 0, of the argument that a part in an error or a layout comes from; `nil` if there is none.
    public func argument(of part: PartReference) -> Int? {
        var place = part.enclosing + [part.index]
        // A file of a list has its own index, but the list's argument.
        while !place.isEmpty, self.origins[place] == nil { place.removeLast() }
        return self.origins[place]
    }

    /// The form that the arguments describe. Files of headers are read, and standard input if it is spooled.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument`, `sourceUnavailable`, `writeFailed` for a full
    ///   disk.
    public mutating func formData() throws(FormworkError) -> FormData {
        var builder = try CurlFormBuilder(self)
        for (number, argument) in self.arguments.enumerated() {
            // `=)` doesn't make a part: it ends the multipart around it.
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

/// The status that curl exits with, for an error that has no other code here.
package struct CurlStatus: Error, CustomStringConvertible {
    package let code: Int32
    package var description: String { "curl's error \(self.code)" }
}
