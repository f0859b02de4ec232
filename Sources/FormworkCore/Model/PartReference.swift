/// Identifies one part of a form in errors, layouts and progress.
public struct PartReference: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The part's index in its multipart, from 0.
    public var index: Int
    /// The indices of the parts around it, outermost first, each from 0; empty for a part of the body itself.
    public var enclosing: [Int]
    /// The form field's name; `nil` for a part that has only free header fields.
    public var name: String?

    /// A reference to the part at `index`.
    public init(index: Int, name: String?, enclosing: [Int] = []) {
        self.index = index
        self.enclosing = enclosing
        self.name = name
    }

    /// For display, counted from 1: `part 3 "photo"`, or `part 2.1 "inner"` for the first part inside the second.
    public var description: String {
        "part " + (self.enclosing + [self.index]).map { String(Int128($0) + 1) }.joined(separator: ".")
            + (self.name.map { " \"\($0.withControlCharactersEscaped)\"" } ?? "")
    }
}
