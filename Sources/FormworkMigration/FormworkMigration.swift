@_exported import FormworkFoundation

/// What to do if an imitated library would lose data, or write text that others read differently.
public enum Compatibility: String, Codable, Sendable {
    /// Nothing is lost, and names can't break the text around them.
    case safe
    /// Writes the same bytes as the library itself on Linux: Alamofire 5.12, or the chosen version of AFNetworking.
    case exact
}
