import Formwork
import FormworkSystem

/// A certificate or key that an option names, checked first because the TLS library's errors are vague.
package struct PEMFile {
    /// What a file must hold.
    package enum Content { case certificates, certificatesOrFolder, privateKey }

    private let option: String
    private let path: String

    package init(option: String, path: String) { (self.option, self.path) = (option, path) }

    /// - Parameters:
    ///   - status: The exit status for other content.
    ///   - unreadable: The exit status if the file can't be read.
    package func check(_ content: Content, status: Int32, unreadable: Int32) throws {
        // A pipe, such as that of <(…), can be read only once.
        guard self.canBeReadAgain else { return }
        // OpenSSL reads of a folder what it needs.
        if content == .certificatesOrFolder, self.isFolder { return }
        let text = try self.text(unreadable)
        switch content {
        case .certificates, .certificatesOrFolder:
            guard text.contains("CERTIFICATE-----") else {
                throw self.failure(status, "contains no certificate in PEM (-----BEGIN CERTIFICATE-----)")
            }
        case .privateKey:
            guard text.contains("PRIVATE KEY-----") else {
                throw self.failure(status, "contains no private key in PEM (-----BEGIN PRIVATE KEY-----)")
            }
            let isEncrypted = text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("4,ENCRYPTED")
            guard !isEncrypted else {
                throw self.failure(
                    status, "the private key is encrypted: decrypt it, as with 'openssl pkey -in KEY -out PLAIN'")
            }
        }
    }

    private var kind: FileType? { (try? SystemCalls.status(of: FilePath(self.path)))?.kind }
    private var isFolder: Bool { self.kind == .directory }
    private var canBeReadAgain: Bool { [nil, .regular, .directory].contains(self.kind) }

    private func text(_ status: Int32) throws -> String {
        do throws(FormworkError) {
            let bytes = try BodyPlan(copying: .file(FilePath(ofFile: self.path))).bytes(upTo: 16 << 20)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            let reason = (error.cause as? Errno).map { " (\($0))" } ?? ""
            throw self.failure(status, error.message + reason)
        }
    }

    private func failure(_ status: Int32, _ text: String) -> ExitStatus {
        ExitStatus(status, "\(self.option) \(ShellQuote.quote(self.path)): \(text)")
    }
}
