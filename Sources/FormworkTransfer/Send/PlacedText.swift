#if Transfer
import Synchronization

/// The value of an option with its place among the values of all such options: ArgumentParser loses the order between two
/// options, and reads them in their order.
struct PlacedText: Sendable {
    private static let count = Mutex(0)

    let text: String
    let place: Int

    init(_ text: String) {
        self.text = text
        self.place = Self.count.withLock { count in
            count += 1
            return count
        }
    }
}
#endif
