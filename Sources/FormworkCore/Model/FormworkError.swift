/// Why a form could not be composed, read or sent. Use ``code`` for decisions, and show ``description``.
///
/// ```swift
/// do {
///     let plan = try await form.plan()
///     try await plan.write(toFile: "body.bin")
/// } catch let error as FormworkError {
///     guard error.code == .sourceUnavailable else { throw error }
///     print(error.part?.name ?? "", error.path ?? "", error.message)
/// }
/// ```
///
/// Most synchronous functions throw only this type, so the compiler knows it in a `catch`. A code is also a
/// pattern: `catch FormworkError.Code.sourceChanged`.
///
/// A message may contain user data, such as a field's name or a path: don't send it to a client. A code's text never
/// does, and there are only a few, so it is safe as a metrics label.
public struct FormworkError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. More may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidArgument, sourceUnavailable, sourceChanged, lengthMismatch, lengthUnknown, notReplayable
            case limitExceeded, writeFailed, contentNotEncodable, framingBroken, malformedBody, truncatedBody, timedOut
        }
        private let kind: Kind

        /// The call was wrong (a name with NUL, a negative length): fix the call.
        public static var invalidArgument: Self { .init(kind: .invalidArgument) }
        /// A file, descriptor or stream can't be opened or read.
        public static var sourceUnavailable: Self { .init(kind: .sourceUnavailable) }
        /// A file has changed since it was planned: plan again. Writes through mapped memory can't be detected; on some
        /// systems, neither can the end of a `write` call that was running when the file was planned. A snapshot of the
        /// file excludes them.
        public static var sourceChanged: Self { .init(kind: .sourceChanged) }
        /// A stream has fewer or more bytes than its declared length.
        public static var lengthMismatch: Self { .init(kind: .lengthMismatch) }
        /// The operation needs a length or an offset that is unknown before the end of a stream.
        public static var lengthUnknown: Self { .init(kind: .lengthUnknown) }
        /// A source that can be read only once was read again, or a stream that was opened again has other bytes.
        public static var notReplayable: Self { .init(kind: .notReplayable) }
        /// One of the caller's limits was exceeded.
        public static var limitExceeded: Self { .init(kind: .limitExceeded) }
        /// The destination refused bytes: disk full, closed pipe, file-size limit.
        public static var writeFailed: Self { .init(kind: .writeFailed) }
        /// The received bytes are invalid: a server answers 400, or 415 if the type is wrong.
        public static var malformedBody: Self { .init(kind: .malformedBody) }
        /// Input ended before the body did: a server answers 400, a client may send again.
        public static var truncatedBody: Self { .init(kind: .truncatedBody) }
        /// A deadline passed before the peer had sent the expected bytes: a server answers 408.
        public static var timedOut: Self { .init(kind: .timedOut) }
        /// The content has bytes that its transfer encoding doesn't allow: use another one.
        public static var contentNotEncodable: Self { .init(kind: .contentNotEncodable) }

        /// A receiver would read another form than the planned one: choose another boundary, or fix the named part.
        public static var framingBroken: Self { .init(kind: .framingBroken) }

        /// The code's name, usable as a metrics label.
        public var description: String { self.kind.rawValue }

        /// Allows `catch FormworkError.Code.sourceChanged`.
        public static func ~= (code: Self, error: any Error) -> Bool { (error as? FormworkError)?.code == code }
    }

    /// The kind of error, for decisions in code.
    public var code: Code
    /// One sentence: what is wrong, the number that decided it, and what to do if something can be done.
    public var message: String
    /// The part of the error; `nil` if no part was involved.
    public var part: PartReference?
    /// The file of the error, as the caller named it; `nil` if no path was involved.
    public var path: String?
    /// The bytes of the body delivered before the failure; `nil` if no body was read.
    public var offset: Int64?
    /// The original error of the system or another library.
    public var cause: (any Error)?

    /// An error.
    public init(
        _ code: Code, _ message: String, part: PartReference? = nil, path: String? = nil, offset: Int64? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.part = part
        self.path = path
        self.offset = offset
        self.cause = cause
    }

    /// One line: part, path, message, cause and offset, each if known. Control characters are escaped.
    public var description: String {
        var line = ""
        if let part = self.part { line += "\(part): " }
        if let path = self.path { line += "\(path.isEmpty ? "\"\"" : path): " }
        line += self.message
        if let cause = self.cause { line += " (\(cause))" }
        if let offset = self.offset { line += " [body offset \(offset)]" }
        return line.withControlCharactersEscaped
    }

    /// The same error with a part, unless it already has one.
    package func naming(_ part: PartReference?) -> Self {
        var copy = self
        if copy.part == nil { copy.part = part }
        return copy
    }

    /// The same error with the number of bytes of the body delivered before it.
    package func at(_ offset: Int64) -> Self {
        var copy = self
        copy.offset = offset
        return copy
    }
}

extension String {
    /// The text with control characters escaped. Names come from users, and must not move the cursor, add lines to a
    /// log, or change the direction of the following text.
    package var withControlCharactersEscaped: String {
        guard self.unicodeScalars.contains(where: \.disturbsALine) else { return self }
        return self.unicodeScalars.reduce(into: "") { line, scalar in
            line += scalar.disturbsALine ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension StringProtocol {
    /// The first Unicode scalars, with "…" after them if there are more. One `Character` may have any number of them, so
    /// a text from outside that is shown isn't cut by Characters.
    package func shortened(to count: Int) -> String {
        let scalars = self.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else {
            return String(self)
        }
        return String(self[..<end]) + "…"
    }
}

extension Unicode.Scalar {
    /// Controls, line and paragraph separators, and the bidirectional controls; not the joiners that emoji need.
    fileprivate var disturbsALine: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: self.properties.isBidiControl
        default: false
        }
    }
}

/// Identifies one part of a form in errors, layouts and progress.
public struct PartReference: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The part's index in its multipart, from 0.
    public var index: Int
    /// The indices of the parts around it, outermost first, each from 0; empty for a part of the body itself.
    public var enclosing: [Int]
    /// The form field's name; `nil` for a part that has only free header fields.
    public var name: String?

    /// A reference to the part at `index`.
    public init(index: Int, name: String?, enclosing: [Int] = []) {
        self.index = index
        self.enclosing = enclosing
        self.name = name
    }

    /// For display, counted from 1: `part 3 "photo"`, or `part 2.1 "inner"` for the first part inside the second.
    public var description: String {
        "part " + (self.enclosing + [self.index]).map { String(Int128($0) + 1) }.joined(separator: ".")
            + (self.name.map { " \"\($0.withControlCharactersEscaped)\"" } ?? "")
    }
}
