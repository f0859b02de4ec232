import Formwork
import FormworkSystem

/// A certificate or key that an option names, checked first because the TLS library's errors are vague.
package enum PEMFile {
    /// What a file must hold.
    package enum Content { case certificates, certificatesOrFolder, privateKey }

    /// - Parameters:
    ///   - status: The exit status for other content.
    ///   - unreadable: The exit status if the file can't be read.
    package static func check(
        _ option: String, _ path: String, _ content: Content, status: Int32, unreadable: Int32
    ) throws {
        let kind = (try? SystemCalls.status(of: FilePath(path)))?.kind
        // A pipe, such as that of <(…), can be read only once, and OpenSSL reads of a folder what it needs.
        guard [nil, .regular, .directory].contains(kind), content != .certificatesOrFolder || kind != .directory else {
            return
        }
        let shown = "\(option) \(ShellQuote.quote(path))"
        let bytes: [UInt8]
        do { bytes = try GivenFile.bytes(of: path, shown, limit: 16 << 20) } catch var error as ExitStatus {
            error.code = unreadable
            throw error
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let what = content == .privateKey ? "private key" : "certificate"
        guard text.contains("\(what.uppercased())-----") else {
            throw ExitStatus(status, "\(shown): contains no \(what) in PEM (-----BEGIN \(what.uppercased())-----)")
        }
        guard content == .privateKey, text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("4,ENCRYPTED")
        else { return }
        throw ExitStatus(
            status, "\(shown): the private key is encrypted: decrypt it, as with 'openssl pkey -in KEY -out PLAIN'")
    }
}
