#if Transfer
import FormworkHTTP
import FormworkResumable

/// The page that the receiver serves, as a pure function of what it shows, and the two files that it refers to.
///
/// What the server and the page agree on. All addresses begin at the host's root: a proxy that puts a receiver below
/// a path would have to rewrite them.
/// - `GET /` gives ``html(_:)``; without the token that the receiver wants, the login view with status 401.
/// - `GET /page.css` and `GET /page.js` give ``styleSheet`` and ``script``, to everybody.
/// - `GET /files.json` gives ``FileList``, or 401. The page asks every three seconds while somebody looks at it.
/// - `POST /` takes multipart/form-data, files in the field `files` (any other name is taken too). The script sends
///   each file in a request of its own, at most three at once and no more than `maxUploads`, with
///   `Accept: application/json`: 201 and an ``UploadReceipt``, or a problem (RFC 9457) whose `detail` or `title` the
///   page shows. 503 or 429 with Retry-After in seconds is tried again by itself, five times in all. A file from a
///   folder is sent with its relative path as filename. Without the script (`Accept` has `text/html`): 303 to
///   `/?received=…`, or the problem's status and the problem view.
/// - `POST /login` takes `token` as application/x-www-form-urlencoded: 303 to `/` and a cookie (HttpOnly,
///   SameSite=Strict, Secure over TLS), or 401 and the login view that says it was wrong.
/// - Both `POST`s are refused where the browser says that another site's page sent them.
/// - Command lines give the token as `Authorization: Bearer TOKEN`.
package struct ReceiverPage: PageContent {
    package init() {}

    package var styleSheet: PageAsset { Self.styleSheetAsset }
    package var script: PageAsset { Self.scriptAsset }

    private static let styleSheetAsset = PageAsset(
        PackageResources.page_css, contentType: "text/css; charset=utf-8")
    private static let scriptAsset = PageAsset(
        PackageResources.page_js, contentType: "text/javascript; charset=utf-8")

    /// The page as it stands without its script, which then takes over the form and the list.
    package func html(_ state: PageState) -> String {
        switch state.view {
        case .login(let isWrong): Self.document(title: "Sign in", head: "", Self.login(isWrong: isWrong)).markup
        case .problem(let problem): Self.document(title: problem.title, head: "", Self.problem(problem)).markup
        case .uploads(let received):
            Self.document(
                title: "Send files", head: #"<script src="/page.js" type="module"></script>"#,
                Self.uploads(state, received: received)
            ).markup
        }
    }

    private static func document(title: String, head: HTML, _ main: HTML) -> HTML {
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
        <link rel="stylesheet" href="/page.css">
        \(head)
        </head>
        <body>
        <header>
        <p class="brand"><svg viewBox="0 0 16 16" aria-hidden="true"><path fill="currentColor" \
        d="M1 1h14v3H1zM1 6h9v3H1zM1 11h3v4H1z"/></svg> Formwork</p>
        </header>
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

    private static func problem(_ problem: ProblemDetails) -> HTML {
        """
        <h1>\(problem.title)</h1>
        <p class="notice" role="alert">\(problem.detail ?? "The receiver did not take it.")</p>
        <p><a href="/">Back to the page</a></p>
        """
    }

    private static func login(isWrong: Bool) -> HTML {
        let refusal: HTML =
            isWrong ? #"<p class="notice" id="refusal" role="alert">That is not the token.</p>"# : ""
        let described: HTML = isWrong ? #" aria-invalid="true" aria-describedby="refusal""# : ""
        return """
            <h1>Sign in</h1>
            <p class="muted">This receiver takes files from those who have its token. It was shown where it was started.</p>
            \(refusal)
            <form id="login" method="post" action="/login">
            <label for="token">Token</label>
            <input type="password" id="token" name="token" autocomplete="current-password" required autofocus\(described)>
            <button class="main">Sign in</button>
            </form>
            """
    }
}
#endif
