import ArgumentParser
import Formwork
import FormworkMagic
import FormworkSystem

/// Where types come from.
enum TypeOption: String, ChoiceOption {
    case auto, `extension`, content

    func detection(charset: Bool = false) -> MediaTypeDetection {
        switch self {
        case .auto: charset ? .auto(charset: true) : .auto
        case .content: charset ? .byContent(charset: true) : .byContent
        case .extension: .byExtension
        }
    }
}

/// Warns on standard error that libmagic can't be used.
enum MagicWarning {
    static func write() {
        guard let failure = LibMagic.shared.failure else { return }
        Messages.warn("\(failure); types are found by names alone")
    }
}

/// libmagic's database that is installed with the command. Another system's database may be of another version than the
/// libmagic that is linked into the command.
enum MagicDatabase {
    static func use() {
        LibMagic.useDatabase {
            guard let program = ThisProcess.executable else { return nil }
            let path = program.removingLastComponent().appending("../share/formwork/magic.mgc")
            return (try? SystemCalls.status(of: path)) == nil ? nil : path.string
        }
    }
}
