import FormworkURLEncoded

/// Finds out whether a value nests deeper than Foundation's `JSONEncoder` writes: that encoder calls itself for each level, so
/// a value of some thousand levels overflows the stack.
package enum JSONNesting {
    /// As deep as Foundation writes.
    package static let limit = 511

    /// - Throws: `EncodingError` for more than ``limit`` levels. Other errors are left to the encoder that comes after.
    package static func check(
        _ value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(EncodingError) {
        try CodingPolicy(isLossy: true, foreign: Bytes(), userInfo: userInfo, nesting: self.limit)
            .checkNesting(of: value)
    }

    /// Foundation writes bytes as one text.
    private struct Bytes: ForeignTypes {
        func leaf<Value: Encodable>(of value: Value) -> EncodedLeaf? { value is any BodyChunk ? .value(.null) : nil }
    }
}
