#if Command
/// The version of the command, as `--version` prints it and `User-Agent` names it.
package enum FormworkVersion {
    package static let text = "0.1.0"
}
#endif
