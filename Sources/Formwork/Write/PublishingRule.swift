/// What to do if a name is taken.
package enum PublishingRule: Sendable, Hashable {
    /// `a.txt` becomes `a (1).txt`.
    case numbered
    /// The existing file, or the link itself, is replaced.
    case replacing
    /// It is an error with the cause `fileExists`.
    case exclusive
}
