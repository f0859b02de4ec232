#if Transfer
/// Where messages wait until a hook has them, so that another receiver, or the next one, sends those of a receiver that was
/// killed.
package protocol NoticeBox: Sendable {
    /// Keeps a message, instead of the one with this name.
    func put(_ bytes: [UInt8], _ name: String) async throws
    /// A message; `nil` if there is none.
    func get(_ name: String) async throws -> [UInt8]?
    func remove(_ name: String) async throws
    /// All messages, with the seconds since they were written.
    func list() async throws -> [(name: String, age: Double)]
    /// How old a message must be before a process that hasn't written it sends it, in seconds.
    var leastAge: Double { get }
}
#endif
