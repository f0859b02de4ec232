#if canImport(Darwin)
// Unsafe code in this file: spans of arrays.
//
// Arrays have spans of their own since macOS 26 and iOS 26 only, as an array there may be an object of Objective-C whose
// elements aren't in one place. This package's arrays are of values, such as bytes, so they are always Swift's. In this
// package these properties are found before the newer ones.

extension Array {
    /// The array's elements, as in newer systems.
    @usableFromInline
    package var span: Span<Element> {
        @_lifetime(borrow self)
        get {
            // SAFETY: a Swift array's elements stay where they are while it is borrowed, and the span ends with the borrow.
            let elements = unsafe self.withUnsafeBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// The array's elements, to be changed.
    @usableFromInline
    package var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            // SAFETY: as above. The call makes the array's storage its own, and nothing else uses it meanwhile.
            let elements = unsafe self.withUnsafeMutableBufferPointer { unsafe $0 }
            return unsafe _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
        }
    }
}
#endif

#if compiler(<6.3)
// Unsafe code in this file: an array whose elements are written into fresh memory.

extension Array {
    /// Appends what `initializer` writes, as in Swift 6.3, which copies nothing.
    package mutating func append(
        addingCapacity capacity: Int, initializingWith initializer: (inout OutputSpan<Element>) -> Void
    ) {
        // SAFETY: the span counts the elements that were written.
        self += unsafe Array(unsafeUninitializedCapacity: capacity) { buffer, count in
            var span = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            initializer(&span)
            count = unsafe span.finalize(for: buffer)
        }
    }
}
#endif
