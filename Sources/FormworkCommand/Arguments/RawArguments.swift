import FormworkSystem

/// The arguments as the system gave them.
enum RawArguments {
    /// The position, from 1, of the first argument that is not UTF-8; `nil` if there is none.
    ///
    /// Swift repairs such text silently, so other bytes would be sent than were given.
    static var firstNotUTF8: Int? {
        ThisProcess.rawArguments.dropFirst().firstIndex { String(validating: $0, as: UTF8.self) == nil }
    }
}
