#if Transfer
import ArgumentParser

/// How to treat an answer of 400 or more.
enum FailureOption: String, EnumerableFlag {
    case failWithBody, fail, noFail

    static func name(for value: Self) -> NameSpecification {
        value == .fail ? [.customShort("f"), .customLong("fail")] : .long
    }

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .failWithBody: "Write the body of an answer of 400 or more, and exit with 22. This is the default."
        case .fail: "Exit with 22 after an answer of 400 or more, without writing its body."
        case .noFail: "Exit with 0 even after an answer of 400 or more."
        }
    }
}
#endif
