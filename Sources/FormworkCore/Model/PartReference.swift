/// Names one part of a form in errors, layouts and progress.
public struct PartReference: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The part's place in the body, from 0.
    public var index: Int
    /// The form field's name; `nil` for a part that has only free header fields.
    public var name: String?

    /// Names the part at `index`.
    public init(index: Int, name: String?) {
        self.index = index
        self.name = name
    }

    /// For people, who count from 1: `part 3 "photo"`.
    public var description: String {
        "part \(self.index + 1)" + (self.name.map { " \"\($0.withControlCharactersEscaped)\"" } ?? "")
    }
}
