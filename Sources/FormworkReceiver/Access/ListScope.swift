#if Transfer
/// Which files a list shows to a client.
package enum ListScope: String, Sendable, CaseIterable {
    /// All files, to every client that is let in.
    case all
    /// To each login, or otherwise to each address, its own files.
    case own
    /// No files.
    case none
}
#endif
