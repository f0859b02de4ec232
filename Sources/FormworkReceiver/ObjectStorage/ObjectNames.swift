#if Transfer
import FormworkCore

/// The names that a file may get, in the order in which they are tried: its own, then with a number, then, since one look
/// each would take long among thousands of the same name, with a random word.
struct ObjectNames: Sequence, IteratorProtocol {
    private let name: SafeFilename
    private var tried = 0
    static let numbered = 20
    static let limit = 40

    init(_ name: SafeFilename) { self.name = name }

    mutating func next() -> String? {
        defer { self.tried += 1 }
        switch self.tried {
        case 0: return self.name.text
        case 1...Self.numbered: return self.name.inserting(" (\(self.tried))")
        case ..<Self.limit:
            return self.name.inserting(" (\(String(UInt32.random(in: .min ... .max), radix: 36)))")
        default: return nil
        }
    }
}
#endif
