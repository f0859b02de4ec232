import FormworkHTTP

/// The page that the receiver serves, as a pure function of what it shows, and the two files that it refers to.
///
/// The contract between server and page follows. All addresses begin at the host's root, or with the path that the receiver
/// is told to be below. Below an upload link (``SignedLink``) the page, its form, its list and its
/// uploads have the link's path in front, which the form's action shows; there is no login.
/// - `GET /` returns ``html(_:)``; without the required token, the login view with status 401.
/// - `GET /page.css` and `GET /page.js` return ``styleSheet`` and ``script``, to every client.
/// - `GET /files.json` returns ``FileList``, or 401. A visible page requests it every three seconds.
/// - If the form has `data-resumes`, the script sends each file as a resumable upload of its own, in interop version 8
///   of the draft, at most three at once and no more than `maxUploads`. An empty `POST /` with the file's type, its name
///   in `Content-Disposition` and its size in `Upload-Length` creates the upload; `PATCH` appends the file's bytes, and
///   `HEAD` asks for the offset after a cut. The last answer is 201 and an ``UploadReceipt``, or a problem (RFC 9457)
///   whose `detail` or `title` the page shows. `DELETE` cancels. The browser's storage keeps the upload's URL with the
///   file's name, size and time, so that a later visit can continue with the same file.
/// - `POST /` accepts a file as the body, with its name in `Content-Disposition`. The script sends a file so, with `Accept:
///   application/json`, if it is small or the receiver can't resume it. After 503 or 429 with Retry-After in seconds, the
///   script tries again, five times in total. A file from a folder is sent with its relative path as filename.
/// - `POST /` accepts multipart/form-data, with files in the field `files` (any other name works too). Without the script (`Accept` contains `text/html`), the answer is 303 to `/?received=…`, or the problem's
///   status and the problem view.
/// - `POST /login` accepts `token` as application/x-www-form-urlencoded. The answer is 303 to `/` and a cookie
///   (HttpOnly, SameSite=Strict, Secure over TLS), or 401 and the login view with an error.
/// - Both `POST`s are refused if the browser reports that another site's page sent them.
/// - Command lines send the token as `Authorization: Bearer TOKEN`.
enum ReceiverPage {
    /// The content of `/page.css`.
    static let styleSheet = PageAsset(PackageResources.page_css, contentType: "text/css; charset=utf-8")
    /// The content of `/page.js`.
    static let script = PageAsset(PackageResources.page_js, contentType: "text/javascript; charset=utf-8")

    /// A page: HTML in UTF-8, without inline scripts or styles, which the policy forbids. The script takes over the form and
    /// the list.
    static func html(_ state: PageState) -> String {
        let address = state.address
        return switch state.view {
        case .login(let refusal):
            Self.document(address.root, title: "Sign in", head: "", Self.login(state, refusal: refusal)).markup
        case .problem(let problem):
            Self.document(address.root, title: problem.heading, head: "", Self.problem(problem, address.base)).markup
        case .uploads(let received):
            Self.document(
                address.root, title: state.settings.title ?? Self.title,
                head: #"<script src="\#(address.root)page.js" type="module"></script>"#,
                Self.uploads(state, received: received)
            ).markup
        }
    }

    /// The title if the operator gives none.
    static let title = "Send files"

    private static func document(_ root: String, title: String, head: HTML, _ main: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath \
        fill='%2314626b' d='M1 1h14v3H1zM1 6h9v3H1zM1 11h3v4H1z'/%3E%3C/svg%3E">
        <link rel="stylesheet" href="\(root)page.css">
        \(head)
        </head>
        <body>
        <main>
        \(main)
        </main>
        <footer>
        <p>Served by <code>formwork receive</code>.</p>
        </footer>
        </body>
        </html>

        """
    }

    private static func problem(_ problem: ProblemDetails, _ base: String) -> HTML {
        // From a link that isn't accepted, the way back would be the login.
        let way: HTML = problem.status == 403 ? "" : #"<p><a href="\#(base)">Back to the upload page</a></p>"#
        return """
            <h1>\(problem.heading)</h1>
            <p class="notice" role="alert">\(problem.detail ?? "The receiver refused the request.")</p>
            \(way)
            """
    }

    private static func login(_ state: PageState, refusal: String?) -> HTML {
        let notice: HTML = refusal.map { #"<p class="notice" id="refusal" role="alert">\#($0)</p>"# } ?? ""
        let described: HTML = refusal == nil ? "" : #" aria-invalid="true" aria-describedby="refusal""#
        return """
            <h1>\(state.settings.title ?? "Sign in")</h1>
            \(self.message(state.settings.message))
            <p class="muted">To send files, enter the token that you were given.</p>
            \(notice)
            <form id="login" method="post" action="\(state.address.root)login">
            <label for="token">Token</label>
            <input type="password" id="token" name="token" autocomplete="current-password" required autofocus\(described)>
            <button class="main">Sign in</button>
            </form>
            """
    }
}

extension ProblemDetails {
    fileprivate var heading: String { self.status == 403 ? "You can’t send files here" : self.title }
}

/// What the operator writes on the upload page.
struct PageSettings: Sendable, Hashable {
    /// The heading; `nil` for "Send files". Plain text.
    var title: String?
    /// Text below the heading, one paragraph a line; `nil` for none. Plain text.
    var message: String?
}
