#if Transfer
import Formwork
import FormworkCommand
import FormworkReceiver

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the keys of upload links come from: a file, or otherwise the variable `FORMWORK_LINK_KEY`.
struct LinkKeySource {
    static let variable = "FORMWORK_LINK_KEY"
    static let advice = "make a key with 'openssl rand -hex 32'"

    /// The option that names the file.
    var option: String
    /// The file; `nil` if the option isn't given.
    var file: String?

    /// The keys; `nil` if none are given.
    func read() throws -> LinkKeys? {
        let (text, place): (String, String)
        if let file {
            place = "\(self.option) \(ShellQuote.quote(file).withControlCharactersEscaped)"
            text = String(decoding: try GivenFile.bytes(of: file, place, limit: 65_536), as: UTF8.self)
        } else {
            guard let value = ProcessInfo.processInfo.environment[Self.variable], !value.isEmpty else { return nil }
            (text, place) = (value, Self.variable)
        }
        do throws(LinkKeys.Failure) { return try LinkKeys(text) } catch {
            let reason =
                switch error {
                case .missing: "has no key: \(Self.advice)"
                case .tooMany: "has more than 16 keys, one a line"
                case .tooShort: "a key has \(LinkKeys.shortest) characters or more: \(Self.advice)"
                }
            throw ExitStatus(2, "formwork: \(place): \(reason)")
        }
    }
}
#endif
