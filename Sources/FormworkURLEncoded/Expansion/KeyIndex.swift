/// The places of keys in a list: found by comparing while there are few keys, and by hashing when there are many.
struct KeyIndex {
    private(set) var keys: [NameKey] = []
    private var places: [NameKey: Int] = [:]
    private static var few: Int { 16 }

    /// The place of a key; `nil` if it isn't in the list.
    func place(of key: NameKey) -> Int? { self.places.isEmpty ? self.keys.firstIndex(of: key) : self.places[key] }

    /// Adds a key that isn't in the list.
    mutating func append(_ key: NameKey) {
        if self.keys.count == Self.few {
            for (place, key) in self.keys.enumerated() { self.places[key] = place }
        }
        if self.keys.count >= Self.few { self.places[key] = self.keys.count }
        self.keys.append(key)
    }
}
