#if Command
import ArgumentParser
import Formwork
import FormworkMagic
import SystemPackage

/// Where types come from.
enum TypeOption: String, ExpressibleByArgument, CaseIterable {
    case auto, `extension`, content

    func detection(charset: Bool = false) -> MediaTypeDetection {
        switch self {
        case .auto: charset ? .auto(charset: true) : .auto
        case .content: charset ? .byContent(charset: true) : .byContent
        case .extension: .byExtension
        }
    }
}

/// Says on standard error that libmagic could not be asked.
enum MagicWarning {
    static func write() {
        guard let failure = LibMagic.shared.failure else { return }
        StandardError.write("formwork: warning: \(failure); names alone decide the types\n")
    }
}
#endif
