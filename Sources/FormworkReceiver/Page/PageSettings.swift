#if Transfer
/// What the operator writes on the upload page.
package struct PageSettings: Sendable, Hashable {
    /// The heading; `nil` for "Send files". Plain text.
    package var title: String?
    /// Text below the heading, one paragraph a line; `nil` for the usual sentence. Plain text.
    package var message: String?

    package init(title: String? = nil, message: String? = nil) { (self.title, self.message) = (title, message) }
}
#endif
