#if Transfer
/// The body stopped arriving, or arrived too slowly.
package struct BodyTimeout: Error, CustomStringConvertible {
    package var description: String { "the body stopped arriving or arrived too slowly" }
}
#endif
