#if NIO
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension URL {
    /// Whether the URL has an invalid port. Foundation returns no port for one with twenty digits, as if there were
    /// none.
    package var hasImpossiblePort: Bool {
        let text = self.absoluteString
        guard let start = text.firstRange(of: "://")?.upperBound else { return false }
        let authority = text[start...].prefix { !"/?#".contains($0) }
        let place = authority[
            (authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex)...]
        let behindAddress = place[(place.lastIndex(of: "]") ?? place.startIndex)...]
        guard let colon = behindAddress.lastIndex(of: ":") else { return false }
        let port = behindAddress[behindAddress.index(after: colon)...]
        return !port.isEmpty && !(UInt16(port).map { $0 > 0 } ?? false)
    }
}
#endif
