/// The type of a part's `Content-Disposition` (RFC 2183 §2, RFC 7578 §4.2).
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DispositionType: String, Hashable, Sendable, Codable {
    /// A field or file of a form: every part of `multipart/form-data`.
    case formData = "form-data"
    /// Content to save. curl uses it for named parts of other multipart types.
    case attachment
    /// Content to show inline.
    case inline
}
