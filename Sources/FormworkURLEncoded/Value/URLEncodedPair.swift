/// A name and its value, unescaped, from one piece between two `&`.
public struct URLEncodedPair: Hashable, Sendable {
    /// Any text, possibly empty.
    public var name: String
    /// The text after `=`; `nil` if there is no `=`.
    public var value: String?

    /// Creates a pair; without a value it is written without `=`.
    public init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }
}
