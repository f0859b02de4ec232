import Formwork

/// What the small form is decoded to: five fields and a file.
package struct SignUp: Decodable, Sendable {
    package var name: String
    package var email: String
    package var city: String?
    package var age: Int
    package var agrees: Bool
    package var photo: FormFile?

    /// What a server answers, so that the client sees whether everything was read.
    package var summary: String {
        let texts = self.name.utf8.count + self.email.utf8.count + (self.city?.utf8.count ?? 0)
        return "\(texts + self.age + (self.agrees ? 1000 : 0) + (self.photo?.filename?.utf8.count ?? 0))"
    }
}
