/// A random word that makes a name unique.
package enum RandomWord {
    /// 64 random bits, in digits and small letters.
    package static func make() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
