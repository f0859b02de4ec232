#if NIO
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A program's own values as JSON, with sorted keys.
package enum JSONBytes {
    /// - Parameter value: Has strings and integers, which always encode.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return Array("{}".utf8) }
        return Array(data)
    }
}
#endif
