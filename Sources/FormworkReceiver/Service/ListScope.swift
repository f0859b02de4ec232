#if Transfer
/// Which files a list shows to whom.
package enum ListScope: String, Sendable, CaseIterable {
    /// All to everybody who is let in.
    case all
    /// To each login, or else to each address, its own.
    case own
    /// None.
    case none
}
#endif
