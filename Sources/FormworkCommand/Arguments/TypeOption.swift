#if Command
import ArgumentParser
import Formwork
import FormworkMagic
import FormworkFiles
import SystemPackage

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
#endif
