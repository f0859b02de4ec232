#if Transfer
    import FormworkCore

    /// The names that a file may get, in the order in which they are tried: its own, then with a number, then, since one look
    /// each would take long among thousands of the same name, with a random word.
    struct ObjectNames: Sequence, IteratorProtocol {
        private let stem: Substring
        private let suffix: Substring
        private var tried = 0
        static let numbered = 20
        static let limit = 40

        init(_ name: SafeFilename) {
            let text = name.text
            // A dot in front begins no extension; a safe name has none there.
            let dot = text.lastIndex(of: ".") ?? text.endIndex
            (self.stem, self.suffix) = (text[..<dot], text[dot...])
        }

        mutating func next() -> String? {
            defer { self.tried += 1 }
            switch self.tried {
            case 0: return "\(self.stem)\(self.suffix)"
            case 1...Self.numbered: return self.name("\(self.tried)")
            case ..<Self.limit: return self.name(String(UInt32.random(in: .min ... .max), radix: 36))
            default: return nil
            }
        }

        /// Cut, where it has to be, so that the whole has 255 bytes, as a safe name has.
        private func name(_ word: String) -> String {
            let addition = " (\(word))\(self.suffix)"
            var stem = self.stem
            while stem.utf8.count + addition.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
            return stem + addition
        }
    }
#endif
