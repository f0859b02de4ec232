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
