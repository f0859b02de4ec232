/// What is done where a system that is imitated loses data or writes what others read differently.
public enum RequestCompatibility: Sendable {
    /// Nothing is lost, and names can't break what stands around them.
    case safe
    /// As the system itself, to reproduce its bytes.
    case exact
}
