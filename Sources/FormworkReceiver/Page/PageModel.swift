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

            package init(name: String, size: Int64, sha256: String?, received: String) {
                (self.name, self.size, self.sha256, self.received) = (name, size, sha256, received)
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

        /// Which of the two pages it is.
        package enum View: Sendable {
            /// The form that asks for the token; `wasRefused` after a wrong one.
            case login(wasRefused: Bool)
            /// The form that sends files, and what has arrived.
            case files
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
        /// Why the last upload was refused, for a form that was sent without the script; `nil` when there is nothing to say.
        package var problem: String?

        package init(
            view: View = .files, address: String, needsToken: Bool = false, files: [File] = [],
            limits: Limits = Limits(), problem: String? = nil
        ) {
            (self.view, self.address, self.needsToken) = (view, address, needsToken)
            (self.files, self.limits, self.problem) = (files, limits, problem)
        }
    }
#endif
