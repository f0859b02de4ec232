/// A row of a table that a test goes through.
package struct Row<Given: Sendable, Expected: Sendable>: Sendable, CustomStringConvertible {
    package var given: Given
    package var expected: Expected
    /// What the row guards against.
    package var description: String

    package init(_ given: Given, _ expected: Expected, against description: String) {
        (self.given, self.expected, self.description) = (given, expected, description)
    }
}

extension Row where Expected == Void {
    package init(_ given: Given, against description: String) { self.init(given, (), against: description) }
}
