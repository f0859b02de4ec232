#if Transfer
import FormworkCore

/// The names, with their folders, that are tried for a file, in order: its own, then with numbers, then with random
/// words, since thousands of files of the same name would need one look-up each.
struct ObjectNames: Sequence, IteratorProtocol {
    private let path: SafePath
    private let isOwnOnly: Bool
    private var tried = 0
    static let triesOfOwn = 4
    static let numbered = 20
    static let limit = 40

    /// A file that must not replace anything has only its own name. It is tried again, since of two uploads that begin at
    /// once both may give way.
    init(_ file: IncomingFile) { (self.path, self.isOwnOnly) = (file.path, file.condition == .isFree) }

    mutating func next() -> String? {
        defer { self.tried += 1 }
        switch self.tried {
        case 0: return self.path.text
        case _ where self.isOwnOnly: return self.tried < Self.triesOfOwn ? self.path.text : nil
        case 1...Self.numbered: return self.numbered("\(self.tried)")
        case ..<Self.limit: return self.numbered(String(UInt32.random(in: .min ... .max), radix: 36))
        default: return nil
        }
    }

    private func numbered(_ word: String) -> String {
        self.path.text(named: self.path.name.inserting(" (\(word))"))
    }
}
#endif
