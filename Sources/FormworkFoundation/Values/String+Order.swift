import Foundation

extension String {
    /// Whether `NSString`'s `compare:` puts this text first: by its scalars, letters taken apart from their accents, so that
    /// "Évry" comes before "Zürich". Swift's `<` takes a letter with its accent for one.
    package func precedes(_ other: String) -> Bool { self.compare(other) == .orderedAscending }
}
