import FormworkFoundation

/// What is done where a library that is imitated loses data, or writes what others read differently.
public enum Compatibility: String, Codable, Sendable {
    /// Nothing is lost, and names can't break what stands around them.
    case safe
    /// As the library itself on Linux, to reproduce its bytes: Alamofire 5.12, or the release of AFNetworking chosen.
    case exact
}
