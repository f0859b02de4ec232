/// A version of AFNetworking: `"2.5.4"`. What a request looks like changed in many of them.
///
/// Missing numbers are 0. A release candidate counts as the version before it: 1.0RC1 as 0.10.1.
public struct AFNetworkingVersion: Hashable, Comparable, Sendable {
    /// The first number.
    public var major: Int
    /// The second number.
    public var minor: Int
    /// The third number.
    public var patch: Int

    /// A version of these numbers.
    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// 4.0.1, the last one.
    public static let latest = AFNetworkingVersion(4, 0, 1)

    /// The older version first.
    public static func < (left: AFNetworkingVersion, right: AFNetworkingVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension AFNetworkingVersion: LosslessStringConvertible, ExpressibleByStringLiteral {
    /// Reads one to three numbers with dots between them; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt16($0) }.map(Int.init)
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    /// The version that the literal names.
    /// - Precondition: It is one to three numbers with dots between them.
    public init(stringLiteral value: String) {
        guard let version = AFNetworkingVersion(value) else {
            preconditionFailure("\"\(value)\" is no version: write \"2.5.4\"")
        }
        self = version
    }

    /// `2.5.4`.
    public var description: String { "\(self.major).\(self.minor).\(self.patch)" }
}
