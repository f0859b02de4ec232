extension BodySource {
    /// Writes all bytes to a file on a separate thread. The file appears only when it is complete.
    /// - Parameters:
    ///   - path: The file to create.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The number of bytes written.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what reading the source throws. Then no new file is left, and
    ///   an existing file is unchanged.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false
    ) async throws -> Int64 {
        try await BodyPlan(copying: self).write(toFile: path, replacing: replacing, durably: durably)
    }

    /// Writes all bytes to a new file in a folder.
    package func write(into folder: some PathConvertible, as name: SafeFilename, durably: Bool) async throws -> FilePath
    {
        try await BodyPlan(copying: self).threadReader().write(into: folder.filePath, as: name, durably: durably)
    }
}

extension SafeFilename {
    /// A safe name for a received file: from its filename, its field's name, or `file`.
    package init(_ filename: String?, orField field: String?) {
        self = filename.flatMap { SafeFilename($0) } ?? field.flatMap { SafeFilename($0) } ?? SafeFilename("file")!
    }
}
