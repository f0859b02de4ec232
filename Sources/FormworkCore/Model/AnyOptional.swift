/// Optionals of any type, for coders that decode `nil` from missing values.
package protocol AnyOptional {
    /// The innermost wrapped type.
    static var base: Any.Type { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    package static var base: Any.Type { (Wrapped.self as? any AnyOptional.Type)?.base ?? Wrapped.self }
    package var isNil: Bool { if case .none = self { true } else { false } }
}
