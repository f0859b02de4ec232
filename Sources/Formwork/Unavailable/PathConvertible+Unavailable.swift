// For a URL without the import of its conformance, the compiler would name only the protocol.

import SystemPackage

extension FormData {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public mutating func append<Path>(
        name: String, file path: Path, filename: String? = nil, contentType: String? = nil
    ) {}

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public consuming func appending<Path>(
        name: String, file path: Path, filename: String? = nil, contentType: String? = nil
    ) -> FormData { self }

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(
        *, unavailable, message: "a value is a String: write String(x); for bytes, use append(name:source: .bytes(...))"
    )
    public mutating func append<Value>(name: String, value: Value, contentType: String? = nil) {}

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a value is a String: write String(x); for bytes, use appending(name:source: .bytes(...))"
    )
    public consuming func appending<Value>(name: String, value: Value, contentType: String? = nil) -> FormData { self }
}

extension BodyPart {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public init<Path>(name: String, file path: Path, filename: String? = nil, contentType: String? = nil) {
        self.init(name: name, value: "")
    }

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a value is a String: write String(x); for bytes, use BodyPart(name:source: .bytes(...))"
    )
    public init<Value>(name: String, value: Value, contentType: String? = nil) {
        self.init(name: name, value: "")
    }
}

extension BodySource {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public static func file<Path>(_ path: Path, offset: Int64 = 0, length: Int64? = nil) -> BodySource { .bytes([]) }
}

extension BodyPlan {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public func write<Path>(
        toFile path: Path, durably: Bool = false, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> Int64 { 0 }
}

extension ReceivedPart {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public func write<Path>(toFile path: Path, replacing: Bool = false, durably: Bool = false) async throws -> Int64 {
        0
    }

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a folder is a String or FilePath; for a URL, import FormworkFoundation")
    public func write<Path>(into folder: Path, durably: Bool = false) async throws -> FilePath? { nil }
}

extension FormFile {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a path is a String or FilePath; for a URL, import FormworkFoundation")
    public func write<Path>(toFile path: Path, replacing: Bool = false, durably: Bool = false) async throws -> Int64 {
        0
    }

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "a folder is a String or FilePath; for a URL, import FormworkFoundation")
    public func write<Path>(into folder: Path, durably: Bool = false) async throws -> FilePath { "" }
}
