#if Resumable
import FormworkHTTP
import HTTPTypes

/// What a server says about tus in its answer to `OPTIONS`.
package struct TusServer: Sendable, Hashable {
    /// In `Tus-Extension`, of servers that read an upload whose `content-type` is multipart/form-data as a form. tus has
    /// no such extension: other servers store the body as it is.
    package static let formExtension = "formwork-form-data"

    /// Whether it reads an uploaded form. Otherwise it stores a file.
    package var readsForms = false
    /// The algorithm for `Upload-Checksum`, in tus' spelling; `nil` if it checks none that this client has.
    package var checksum: String?
    /// The most bytes of an upload; `nil` if the server doesn't say.
    package var maximumSize: Int64?

    /// Whether an upload can be created before its length is known. A server that lists no extensions may be able to.
    package var defersLength = true

    /// A server that says nothing: it stores files.
    package init() {}

    /// Reads the answer, whatever its status: many servers answer `OPTIONS` with 404 or 405.
    package init(_ fields: HTTPFields) {
        let extensions = Self.list(fields[.tusExtension])
        self.readsForms = extensions.contains(Self.formExtension)
        self.defersLength = fields[.tusExtension] == nil || extensions.contains("creation-defer-length")
        if extensions.contains("checksum") {
            let algorithms = Self.list(fields[.tusChecksumAlgorithm])
            self.checksum = ["sha256", "sha1"].first(where: algorithms.contains)
        }
        self.maximumSize = fields[.tusMaxSize].flatMap { Int64($0) }
    }

    private static func list(_ value: String?) -> Set<String> {
        Set((value ?? "").split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() })
    }
}
#endif
