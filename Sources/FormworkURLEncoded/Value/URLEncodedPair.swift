/// A name and its value, unescaped, as one piece between two `&`.
public struct URLEncodedPair: Hashable, Sendable {
    /// Any text, possibly empty.
    public var name: String
    /// The text behind `=`; `nil` when there is no `=`.
    public var value: String?

    /// A pair; without a value it is written without `=`.
    public init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }
}
