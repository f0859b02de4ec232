#if Transfer
/// The store's upload that makes a file of a complete upload. A receiver that takes over aborts it first, so that only
/// one of them makes the file.
struct Placing: Codable, Hashable, Sendable {
    var key: String
    var upload: String
    /// The mark of a form's file. A receiver that takes over removes the object with it: it makes all of the form's
    /// files itself. `nil` for a file that is the whole upload, which it uses instead.
    var marker: String?
}
#endif
