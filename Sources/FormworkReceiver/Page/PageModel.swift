#if Transfer
    /// What the page shows.
    package struct PageModel: Sendable {
        /// A file that has arrived.
        package struct File: Sendable {
            /// The name under which it is stored.
            package var name: String
            /// Bytes, 0 or more.
            package var size: Int64
            /// SHA-256 of its content in lowercase hexadecimal; `nil` where none was computed.
            package var sha256: String?
            /// When it was complete, as RFC 3339 has it: `2026-01-31T12:00:00Z`.
            package var received: String
            /// Whether it came with the form that was just sent, without the script.
            package var isNew: Bool

            package init(name: String, size: Int64, sha256: String?, received: String, isNew: Bool = false) {
                (self.name, self.size, self.sha256) = (name, size, sha256)
                (self.received, self.isNew) = (received, isNew)
            }
        }

        /// The receiver's limits; `nil` for what has none.
        package struct Limits: Sendable {
            /// Bytes of one request's body.
            package var maxSize: Int64?
            /// Bytes of one file.
            package var maxFileSize: Int64?
            /// Files of one request.
            package var maxFiles: Int?
            /// Requests that are received at once.
            package var maxUploads: Int?

            package init(
                maxSize: Int64? = nil, maxFileSize: Int64? = nil, maxFiles: Int? = nil, maxUploads: Int? = nil
            ) {
                (self.maxSize, self.maxFileSize) = (maxSize, maxFileSize)
                (self.maxFiles, self.maxUploads) = (maxFiles, maxUploads)
            }
        }

        /// Which page it is.
        package enum View: Sendable {
            /// The form that asks for the token; `wasRefused` after a wrong one.
            case login(wasRefused: Bool)
            /// The form that sends files, and what has arrived.
            case files
            /// Why a request was refused, or failed; for a form that was sent without the script.
            case problem(title: String, detail: String?)
        }

        package var view: View
        /// The URL that the page was asked for by, with its last slash: `http://127.0.0.1:8080/`. It comes from the
        /// request's own Host, so it is shown as text only.
        package var address: String
        /// Whether the receiver wants a token: the command lines then have a place for it.
        package var needsToken: Bool
        /// In the order of arrival. The page shows the newest first.
        package var files: [File]
        package var limits: Limits

        package init(
            view: View = .files, address: String, needsToken: Bool = false, files: [File] = [],
            limits: Limits = Limits()
        ) {
            (self.view, self.address, self.needsToken) = (view, address, needsToken)
            (self.files, self.limits) = (files, limits)
        }
    }
#endif
