#if Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers

extension RequestBody.AsyncIterator {
    /// Whether the body was read before this iterator was made, which then returns nothing. It must not have been used.
    /// `false` if that can't be determined.
    ///
    /// Hummingbird records it in a `Bool` of the iterator that is in this one.
    var isOfReadBody: Bool { Self.flag(in: self, depth: 3) ?? false }

    private static func flag(in value: Any, depth: Int) -> Bool? {
        if let flag = value as? Bool { return flag }
        guard depth > 0 else { return nil }
        for child in Mirror(reflecting: value).children {
            if let flag = self.flag(in: child.value, depth: depth - 1) { return flag }
        }
        return nil
    }
}

extension RequestBody {
    /// Whether this body has been read, at least partly. A body can be read once: Hummingbird has no bytes for a second
    /// reader, and stops a debug build. `false` if that can't be determined.
    ///
    /// Hummingbird records this in a box, which is found by its type, not by a name.
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
