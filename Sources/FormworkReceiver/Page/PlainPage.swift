#if Transfer
    import FormworkHTTP

    /// A page with a form and a list, and nothing else.
    package struct PlainPage: PageContent {
        package init() {}

        package var styleSheet: String { "body { font-family: sans-serif; margin: 2em auto; max-width: 50em }\n" }
        package var script: String { "" }

        package func html(_ state: PageState) -> String {
            let content =
                switch state.view {
                case .uploads(let received): self.uploads(state, received)
                case .login(let isWrong): self.login(isWrong)
                case .problem(let problem):
                    "<h1>\(problem.title.asHTML)</h1><p>\((problem.detail ?? "").asHTML)</p><p><a href=\"/\">Back</a></p>"
                }
            return """
                <!DOCTYPE html>
                <html lang="en">
                <head><meta charset="utf-8"><title>Upload</title><link rel="stylesheet" href="/page.css"></head>
                <body>\(content)</body>
                </html>

                """
        }

        private func uploads(_ state: PageState, _ received: Set<Int>) -> String {
            let rows = state.arrivals.reversed().map { arrival in
                let name = received.contains(arrival.id) ? "<b>\(arrival.name.asHTML)</b>" : arrival.name.asHTML
                return "<tr><td>\(name)</td><td>\(arrival.size)</td><td>\(arrival.state.rawValue)</td>"
                    + "<td><code>\(arrival.sha256 ?? "")</code></td></tr>"
            }
            return """
                <h1>Upload</h1>
                <form method="post" action="/" enctype="multipart/form-data">
                <p><label>Files <input type="file" name="file" multiple required></label> <button>Send</button></p>
                </form>
                <table><thead><tr><th>Name</th><th>Bytes</th><th>State</th><th>SHA-256</th></tr></thead>
                <tbody>\(rows.joined())</tbody></table>
                """
        }

        private func login(_ isWrong: Bool) -> String {
            """
            <h1>Token</h1>\(isWrong ? "<p role=\"alert\">That is not the token.</p>" : "")
            <form method="post" action="/login">
            <p><label>Token <input type="password" name="token" required autocomplete="current-password"></label>
            <button>Go on</button></p>
            </form>
            """
        }
    }

    extension String {
        /// The text as HTML content, or as an attribute's value in double quotes.
        package var asHTML: String {
            self.reduce(into: "") { html, character in
                switch character {
                case "&": html += "&amp;"
                case "<": html += "&lt;"
                case ">": html += "&gt;"
                case "\"": html += "&quot;"
                case "'": html += "&#39;"
                default: html.append(character)
                }
            }
        }
    }
#endif
