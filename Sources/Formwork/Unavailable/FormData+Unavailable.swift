// Calls that other packages have, or that one would guess: the compiler names the one to use.

extension FormData {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "use append(name:source: .bytes(data), filename:)")
    public mutating func append<Bytes>(
        name: String, data: Bytes, filename: String? = nil, contentType: String? = nil
    ) {}

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "use append(name:source: .bytes(bytes), filename:)")
    public mutating func append<Bytes>(
        name: String, bytes: Bytes, filename: String? = nil, contentType: String? = nil
    ) {}

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "use append(name:file:)")
    public mutating func append<Path>(
        name: String, path: Path, filename: String? = nil, contentType: String? = nil
    ) {}

    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "use append(name:source: .bytes(data), filename:), or append(name:file:)")
    public mutating func append<Bytes>(
        _ data: Bytes, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {}

    /// Unavailable: names the remedy.
    @available(*, unavailable, message: "plan the form first: try form.plan().makeReader()")
    public func encode() throws -> [UInt8] { [] }

    /// Unavailable: names the remedy.
    @available(*, unavailable, message: "plan the form first: try form.plan().contentType")
    public var contentType: String { "" }

    /// Unavailable: names the remedy.
    @available(*, unavailable, message: "plan the form first: try form.plan().contentLength")
    public var contentLength: Int64? { nil }
}

extension BodyPlan {
    /// Unavailable: names the remedy.
    @_disfavoredOverload
    @available(*, unavailable, message: "to a file, use write(toFile:)")
    public func write<Path>(to path: Path) throws {}
}
