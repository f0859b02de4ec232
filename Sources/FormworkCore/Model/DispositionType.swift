/// What a `Content-Disposition` calls a part (RFC 2183 §2, RFC 7578 §4.2).
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DispositionType: String, Hashable, Sendable, Codable {
    /// A field or file of a form: every part of `multipart/form-data`.
    case formData = "form-data"
    /// Something to be kept: what curl calls named parts of other multipart types.
    case attachment
    /// Something to be shown where it stands.
    case inline
}
