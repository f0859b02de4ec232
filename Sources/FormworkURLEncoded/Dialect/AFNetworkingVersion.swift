/// A version of AFNetworking: `"2.5.4"`. Many of them changed the requests.
///
/// Missing numbers are 0. For a release candidate use the version before it: 0.10.1 for 1.0RC1.
public struct AFNetworkingVersion: Hashable, Comparable, Sendable {
    private let numbers: [Int]

    /// 4.0.1, the last version.
    public static let latest: AFNetworkingVersion = "4.0.1"

    /// Orders older versions first.
    public static func < (left: AFNetworkingVersion, right: AFNetworkingVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

extension AFNetworkingVersion: LosslessStringConvertible, ExpressibleByStringLiteral {
    /// Reads one to three numbers with dots between them; `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt16($0) }.map(Int.init)
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        self.numbers = numbers + Array(repeating: 0, count: 3 - numbers.count)
    }

    /// Creates the version from a literal.
    /// - Precondition: The literal is one to three numbers with dots between them.
    public init(stringLiteral value: String) {
        guard let version = AFNetworkingVersion(value) else {
            preconditionFailure("\"\(value)\" is not a version such as \"2.5.4\"")
        }
        self = version
    }

    /// `2.5.4`.
    public var description: String { self.numbers.map(String.init).joined(separator: ".") }
}
