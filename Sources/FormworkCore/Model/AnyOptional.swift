/// Optionals, whatever they wrap: for coders, which read `nil` from nothing.
package protocol AnyOptional {
    /// What is wrapped in the end, by however many optionals.
    static var base: Any.Type { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    package static var base: Any.Type { (Wrapped.self as? any AnyOptional.Type)?.base ?? Wrapped.self }
    package var isNil: Bool { if case .none = self { true } else { false } }
}
