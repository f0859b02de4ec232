/// Builds a form in one expression:
///
/// ```swift
/// let form = try FormData()
///     .appending(name: "title", value: "Holiday")
///     .appending(name: "photo", file: "beach.jpg")
///     .appending(name: "metadata", json: metadata)
/// ```
extension FormData {
    /// The form with one more part.
    public consuming func appending(_ part: BodyPart) -> FormData {
        self.append(part)
        return self
    }

    /// The form with one more field.
    public consuming func appending(name: String, value: String, contentType: String? = nil) -> FormData {
        self.append(name: name, value: value, contentType: contentType)
        return self
    }

    /// The form with one more part of `application/json`.
    /// - Throws: What ``BodyPart/init(name:json:)`` throws.
    public consuming func appending(name: String, json value: some Encodable) throws -> FormData {
        try self.append(name: name, json: value)
        return self
    }

    /// The form with one more file, see ``append(name:file:filename:contentType:)``.
    public consuming func appending(
        name: String, file path: some PathConvertible, filename: String? = nil, contentType: String? = nil
    ) -> FormData {
        self.append(name: name, file: path, filename: filename, contentType: contentType)
        return self
    }

    /// The form with one more part from any source.
    public consuming func appending(
        name: String, source: BodySource, filename: String? = nil, contentType: String? = nil
    ) -> FormData {
        self.append(name: name, source: source, filename: filename, contentType: contentType)
        return self
    }
}
