import Formwork
public import FormworkEssentials

extension Data: BodyChunk {
    /// Creates data with these bytes.
    public init(copying bytes: ArraySlice<UInt8>) { self.init(bytes) }

    /// Calls a closure with the bytes.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(self.bytes) }

    /// The bytes in a range, counted from 0, without copying them.
    public func content(_ range: Range<Int>) -> Data {
        self[self.startIndex + range.lowerBound..<self.startIndex + range.upperBound]
    }
}

extension Date: FormMoment {}

extension Decimal: FormTextConvertible {
    /// Reads a number from a field's text, such as `-12.50` or `1e3`, with a point in every locale; `nil` for other
    /// texts.
    public init?(formText: String) {
        guard Self.isNumber(formText), let number = Decimal(string: formText) else { return nil }
        self = number
    }

    /// The number as text, with a point in every locale.
    public var formText: String { self.description }

    /// Whether the whole text is a number: Foundation stops silently at the first invalid character.
    private static func isNumber(_ text: String) -> Bool {
        let halves = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == 0x65 || $0 == 0x45 }
        let mantissa = self.unsigned(halves[0]).split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
        guard mantissa.contains(where: { !$0.isEmpty }), mantissa.allSatisfy({ $0.allSatisfy(\.isDigit) }) else {
            return false
        }
        guard halves.count > 1 else { return true }
        let exponent = self.unsigned(halves[1])
        return !exponent.isEmpty && exponent.allSatisfy(\.isDigit)
    }

    private static func unsigned(_ text: Substring.UTF8View) -> Substring.UTF8View {
        text.first == 0x2B || text.first == 0x2D ? text.dropFirst() : text
    }
}

extension URL: FormTextConvertible {
    /// Reads a URL from a field's text; `nil` for other texts.
    public init?(formText: String) { self.init(string: formText) }
    /// The URL as text.
    public var formText: String { self.absoluteString }
}

extension URL: PathConvertible {
    /// The path of a file URL. Any other URL becomes its text, for which no file is found.
    public var filePath: FilePath { (self.isFileURL ? self.path : self.absoluteString).filePath }
}

extension FormworkError: LocalizedError {
    /// The text of `localizedDescription`: ``description``.
    public var errorDescription: String? { self.description }
}

extension RetryAfter {
    /// How long to wait from now on; `nil` for no value or an invalid one.
    package static func delay(_ value: String?) -> Duration? {
        self.delay(value, now: Int64(clamping: Date().timeIntervalSince1970))
    }
}
