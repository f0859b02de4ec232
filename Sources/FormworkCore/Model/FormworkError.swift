/// Why a form could not be composed, read or sent: decide on ``code``, show ``description``.
///
/// A message may name a field or a path and so may carry user data. A code's text never does, and there are few of
/// them: safe as a metrics label.
public struct FormworkError: Error, Sendable, CustomStringConvertible {
    /// What a caller can do about it. More may come, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidArgument, sourceUnavailable, sourceChanged, lengthMismatch, lengthUnknown, notReplayable
            case limitExceeded, writeFailed, contentNotEncodable, framingBroken, malformedBody, truncatedBody, timedOut
        }
        private let kind: Kind

        /// The call was wrong (a name with NUL, a negative length): mend the call.
        public static var invalidArgument: Self { .init(kind: .invalidArgument) }
        /// A file, descriptor or stream can't be opened or read.
        public static var sourceUnavailable: Self { .init(kind: .sourceUnavailable) }
        /// A file is no longer the one that was planned: plan again. Writes through mapped memory, and the end of a write
        /// that was under way when the file was planned, leave no trace and are no error: a snapshot of the file keeps them out.
        public static var sourceChanged: Self { .init(kind: .sourceChanged) }
        /// A stream gave fewer or more bytes than its declared length.
        public static var lengthMismatch: Self { .init(kind: .lengthMismatch) }
        /// The operation needs a length or an offset that only the end of a stream can tell.
        public static var lengthUnknown: Self { .init(kind: .lengthUnknown) }
        /// A source that can be read only once was asked for a second pass.
        public static var notReplayable: Self { .init(kind: .notReplayable) }
        /// One of the caller's limits was crossed.
        public static var limitExceeded: Self { .init(kind: .limitExceeded) }
        /// The destination refused bytes: disk full, closed pipe, file-size limit.
        public static var writeFailed: Self { .init(kind: .writeFailed) }
        /// The bytes received are not what they should be: a server answers 400.
        public static var malformedBody: Self { .init(kind: .malformedBody) }
        /// Input ended before the body did: a server answers 400, a client may send again.
        public static var truncatedBody: Self { .init(kind: .truncatedBody) }
        /// A deadline passed before the peer had sent what was waited for: a server answers 408.
        public static var timedOut: Self { .init(kind: .timedOut) }
        /// The content holds what its transfer encoding doesn't allow: take another one.
        public static var contentNotEncodable: Self { .init(kind: .contentNotEncodable) }

        /// A body read back while it was sent is another form than the one planned: choose another boundary, or mend the
        /// part that is named.
        public static var framingBroken: Self { .init(kind: .framingBroken) }

        /// The code's name, fit for a metrics label.
        public var description: String { self.kind.rawValue }

        /// Lets a caller write `catch FormworkError.Code.sourceChanged`.
        public static func ~= (code: Self, error: any Error) -> Bool { (error as? FormworkError)?.code == code }
    }

    /// What to decide on.
    public var code: Code
    /// One sentence: what was found, the number that decided, and what to do where something can be done.
    public var message: String
    /// The part it happened in; `nil` when no part was involved.
    public var part: PartReference?
    /// The file it happened in, as the caller named it; `nil` when no path was involved.
    public var path: String?
    /// Bytes of the body delivered before the failure; `nil` when no body was being read.
    public var offset: Int64?
    /// What the system or another library said, kept whole.
    public var cause: (any Error)?

    /// Describes a failure.
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

    /// One line: part, path, message, offset and cause, each only where known. Control characters are shown escaped.
    public var description: String {
        var line = ""
        if let part = self.part { line += "\(part): " }
        if let path = self.path { line += "\(path): " }
        line += self.message
        if let cause = self.cause { line += " (\(cause))" }
        if let offset = self.offset { line += " [body offset \(offset)]" }
        return line.withControlCharactersEscaped
    }

    /// The same error, told which part it happened in, unless it already names one.
    package func naming(_ part: PartReference?) -> Self {
        var copy = self
        if copy.part == nil { copy.part = part }
        return copy
    }

    /// The same error, told how many bytes of the body were delivered before it.
    package func at(_ offset: Int64) -> Self {
        var copy = self
        copy.offset = offset
        return copy
    }
}

extension String {
    /// Names come from users: an error line must not let them move the cursor, add lines to a log, or turn the
    /// direction of what follows.
    package var withControlCharactersEscaped: String {
        guard self.unicodeScalars.contains(where: \.disturbsALine) else { return self }
        return self.unicodeScalars.reduce(into: "") { line, scalar in
            line += scalar.disturbsALine ? scalar.escaped(asASCII: true) : String(scalar)
        }
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
