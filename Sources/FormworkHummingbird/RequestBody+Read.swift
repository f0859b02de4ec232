#if Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers

extension RequestBody {
    /// Whether someone has begun to read this body already, which can be read once: Hummingbird then has no bytes
    /// for a second reader, and ends a debug build. `false` where that can't be known.
    ///
    /// Hummingbird notes it in a box, which is found by its type and not by a name.
    var wasRead: Bool { Self.box(in: self, depth: 5)?.withLockedValue { $0 } ?? false }

    private static func box(in value: Any, depth: Int) -> NIOLockedValueBox<Bool>? {
        if let box = value as? NIOLockedValueBox<Bool> { return box }
        guard depth > 0 else { return nil }
        for child in Mirror(reflecting: value).children {
            if let box = self.box(in: child.value, depth: depth - 1) { return box }
        }
        return nil
    }
}
#endif
