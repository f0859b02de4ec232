import Formwork
import FormworkCommand
import FormworkEssentials

/// An option with its value, as errors show it.
struct GivenValue {
    let text: String

    init(_ option: String, _ value: String) {
        self.text = "\(option) \(ShellQuote.quote(value).withControlCharactersEscaped)"
    }

    /// An address, without the secrets in it.
    init(_ option: String, url: String) { self.init(option, SecretText.masked(url: url)) }

    /// The end of the command because of the value.
    func fails(_ reason: String) -> ExitStatus { ExitStatus(2, "\(self.text): \(reason)") }
}

/// A secret from a file, or otherwise from a variable: process lists show neither.
struct GivenSecret {
    let text: String
    /// Where it is from, as errors show it.
    let place: String

    /// - Parameters:
    ///   - option: The option that names the file.
    ///   - file: The file; `nil` if the option isn't given.
    /// - Returns: `nil` if there is neither the file nor the variable.
    init?(_ option: String, file: String?, variable: String, limit: Int = 65_536) throws {
        if let file {
            self.place = GivenValue(option, file).text
            self.text = String(decoding: try GivenFile.bytes(of: file, self.place, limit: limit), as: UTF8.self)
        } else {
            guard let value = ProcessInfo.processInfo.environment[variable] else { return nil }
            (self.text, self.place) = (value, variable)
        }
    }

    /// Reads a secret.
    /// - Returns: `nil` if there is neither the file nor text in the variable.
    static func read<Value>(
        _ option: String, file: String?, variable: String, _ read: (String) throws(SecretFault) -> Value
    ) throws -> Value? {
        let given = try GivenSecret(option, file: file, variable: variable)
        guard let given, file != nil || !given.text.isEmpty else { return nil }
        do throws(SecretFault) { return try read(given.text) } catch { throw given.fails(error.reason) }
    }

    /// The end of the command because of the secret.
    private func fails(_ reason: String) -> ExitStatus { ExitStatus(2, "\(self.place): \(reason)") }
}
