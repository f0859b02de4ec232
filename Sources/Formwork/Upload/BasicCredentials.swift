import FormworkCore

/// A user and password for the Basic scheme (RFC 7617), in UTF-8.
package struct BasicCredentials: Hashable, Sendable {
    /// The user's name, without a colon.
    package var user: String
    /// The password; empty for none.
    package var password: String

    /// A user and a password.
    package init(user: String, password: String) { (self.user, self.password) = (user, password) }

    /// The value of `Authorization` or `Proxy-Authorization`.
    package var fieldValue: String { "Basic \(Base64.encode(Array("\(self.user):\(self.password)".utf8)))" }
}
