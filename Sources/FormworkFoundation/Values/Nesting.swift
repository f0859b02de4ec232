import Foundation

/// How deep arrays, sets and dictionaries nest. Foundation's serializers, and casts to its classes, call themselves for each
/// level, so a value of some thousand levels overflows the stack.
package enum Nesting {
    /// The most levels of a value that is read or written.
    package static let limit = 512

    /// Whether a value has more levels than these. Not recursive.
    package static func isDeeper(_ value: Any, than levels: Int) -> Bool {
        var found = [value]
        for _ in 0...levels {
            found = found.flatMap(self.members)
            if found.isEmpty { return false }
        }
        return true
    }

    private static func members(_ value: Any) -> [Any] {
        switch value {
        case let members as [AnyHashable: Any]: Array(members.values)
        case let elements as [Any]: elements
        case let elements as Set<AnyHashable>: elements.map(\.base)
        default: []
        }
    }
}
