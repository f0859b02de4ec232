#if Transfer
    /// The page that the receiver serves, as a pure function of what it shows, and the two files that it refers to.
    ///
    /// What the server and the page agree on. All addresses are relative, so that a proxy may put it below any path:
    /// - `GET /` gives ``html(_:)`` with ``contentType`` and ``contentSecurityPolicy``; without the token that the
    ///   receiver wants it gives the view ``PageModel/View/login(wasRefused:)`` with status 401.
    /// - `GET /page.css` and `GET /page.js` give ``stylesheet`` and ``script``, to everybody: with `ETag`,
    ///   `Cache-Control: no-cache` and `X-Content-Type-Options: nosniff`; 304 where `If-None-Match` has the tag.
    /// - `GET /files.json` gives `{"files":[{"name","size","sha256","type","received","field"}],"limits":{"maxSize",
    ///   "maxFileSize","maxFiles","maxUploads"}}` in the order of arrival; `received` in RFC 3339's form; `sha256`,
    ///   `type` and the limits absent or null where there are none. 401 without the token. The page asks every three
    ///   seconds while somebody looks at it. A list cut to the newest thousand keeps that cheap.
    /// - `POST /` takes multipart/form-data, files in the field `files` (any other name is taken too). The script sends
    ///   each file in a request of its own, at most three at once and no more than `maxUploads`, with
    ///   `Accept: application/json`: 201 and `{"files":[{"name","size","type","sha256","field"}],"fields":[…]}`, or a
    ///   problem (RFC 9457) whose `detail` or `title` the page shows. 503 or 429 with Retry-After in seconds is tried
    ///   again by itself, five times in all. A file from a folder is sent with its relative path as filename. Without
    ///   the script (`Accept` has `text/html`): 303 to `./`, or the problem's status and the view
    ///   ``PageModel/View/problem(title:detail:)``.
    /// - `POST /login` takes `token` as application/x-www-form-urlencoded: 303 to `./` and a cookie (HttpOnly,
    ///   SameSite=Strict, Secure over TLS), or 401 and the login view with `wasRefused`.
    /// - Both `POST`s are refused (403) where `Sec-Fetch-Site`, or else `Origin`, says that another site's page sent them.
    /// - Command lines give the token as `Authorization: Bearer TOKEN`.
    package enum ReceiverPage {
        /// Value of Content-Type for ``html(_:)``.
        package static let contentType = "text/html; charset=utf-8"

        /// Value of Content-Security-Policy: nothing but this origin's own files, no inline script or style, no frames.
        package static let contentSecurityPolicy =
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

        /// What is served as `page.css`.
        package static let stylesheet = PageAsset(PackageResources.page_css, contentType: "text/css; charset=utf-8")

        /// What is served as `page.js`.
        package static let script = PageAsset(PackageResources.page_js, contentType: "text/javascript; charset=utf-8")

        /// The page as it stands without its script, which then takes over the form and the list.
        package static func html(_ model: PageModel) -> String {
            switch model.view {
            case .login(let wasRefused):
                self.document(title: "Sign in", head: "", self.login(wasRefused: wasRefused)).markup
            case .problem(let title, let detail):
                self.document(title: title, head: "", self.problem(title, detail)).markup
            case .files:
                self.document(
                    title: "Send files", head: #"<script src="page.js" type="module"></script>"#, self.files(model)
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
            <link rel="stylesheet" href="page.css">
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

        private static func problem(_ title: String, _ detail: String?) -> HTML {
            """
            <h1>\(title)</h1>
            <p class="notice" role="alert">\(detail ?? "The receiver did not take it.")</p>
            <p><a href="./">Back to the page</a></p>
            """
        }

        private static func login(wasRefused: Bool) -> HTML {
            let refusal: HTML =
                wasRefused ? #"<p class="notice" id="refusal" role="alert">That is not the token.</p>"# : ""
            let described: HTML = wasRefused ? #" aria-invalid="true" aria-describedby="refusal""# : ""
            return """
                <h1>Sign in</h1>
                <p class="muted">This receiver takes files from those who have its token. It was shown where it was started.</p>
                \(refusal)
                <form id="login" method="post" action="login">
                <label for="token">Token</label>
                <input type="password" id="token" name="token" autocomplete="current-password" required autofocus\(described)>
                <button class="main">Sign in</button>
                </form>
                """
        }
    }
#endif
