import Foundation

extension String {
    /// Whether `NSString`'s `compare:` orders this text first: it compares decomposed scalars, so that "Évry" comes
    /// before "Zürich". Swift's `<` compares a letter and its accent as one.
    package func precedes(_ other: String) -> Bool { self.compare(other) == .orderedAscending }
}
