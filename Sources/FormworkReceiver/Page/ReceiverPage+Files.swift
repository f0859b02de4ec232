#if Transfer
extension ReceiverPage {
    /// The form, the queue that the script fills, the files that have arrived, and the command lines.
    static func uploads(_ state: PageState, received: Set<Int>) -> HTML {
        // A file that is still arriving has no size and no digest yet.
        let files = state.arrivals.filter { $0.state == .complete }
        return """
            <h1>Send files</h1>
            <p class="muted">They are stored by the computer that serves this page.</p>
            \(self.news(of: files.count { received.contains($0.id) }))
            <form id="form" method="post" action="/" enctype="multipart/form-data">
            <label class="pick">
            <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" \
            stroke-linejoin="round" aria-hidden="true"><path d="M12 15.5V4.5M7.5 9 12 4.5 16.5 9M4 15.5v3a1.5 1.5 0 0 0 1.5 \
            1.5h13a1.5 1.5 0 0 0 1.5-1.5v-3"/></svg>
            <strong>Choose files</strong>
            <span class="hint">or drop files and folders anywhere on this page, or paste them</span>
            <input type="file" id="files" name="files" multiple required aria-describedby="limits">
            </label>
            <div class="more">
            <button class="main" id="send">Send</button>
            <label class="folder">Choose a folder<input type="file" id="folder" webkitdirectory multiple></label>
            <p class="muted" id="limits">\(self.sentence(of: state.limits))</p>
            </div>
            </form>
            <section id="queue" aria-labelledby="queue-title" hidden>
            <h2 id="queue-title">Uploads</h2>
            <progress id="overall" max="1" value="0" aria-labelledby="queue-title" aria-describedby="overall-text"></progress>
            <p class="muted" id="overall-text"></p>
            <div class="actions">
            <button type="button" id="cancel-all">Cancel all</button>
            <button type="button" id="retry-failed">Retry failed</button>
            <button type="button" id="clear">Clear finished</button>
            </div>
            <ul id="queued"></ul>
            </section>
            <section aria-labelledby="arrived-title">
            <h2 id="arrived-title">Arrived <span id="count">\(files.count)</span></h2>
            <p id="connection" role="alert"></p>
            <p class="muted" id="none"\(files.isEmpty ? "" : " hidden" as HTML)>Nothing yet.</p>
            <ul id="arrived">\(files.reversed().map { self.row(of: $0, isNew: received.contains($0.id)) })</ul>
            </section>
            \(self.commands(state))
            \(state.isLoggedIn ? Self.logout : "")
            <p id="status" class="spoken" role="status"></p>
            <template id="sending-row"><li tabindex="-1">
            <p class="what"><bdi></bdi> <span class="size"></span></p>
            <progress max="1" value="0"></progress>
            <p class="state"></p>
            <button type="button"></button>
            </li></template>
            <template id="arrived-row">\(self.row(of: Self.empty))</template>
            """
    }

    private static let logout: HTML = """
        <form id="logout" method="post" action="/logout"><button>Sign out</button></form>
        """

    private static func news(of count: Int) -> HTML {
        guard count > 0 else { return "" }
        let news = count == 1 ? "1 file has arrived." : "\(count) files have arrived."
        return #"<p class="notice good" role="status">\#(news)</p>"#
    }

    private static func row(of file: Arrival, isNew: Bool = false) -> HTML {
        let mark: HTML = isNew ? #" class="new""# : ""
        let digest: HTML? = file.sha256.map { digest in
            """
            <div class="copyable"><span class="muted">SHA-256</span><code>\(digest)</code>\
            <button type="button" class="copy">Copy</button></div>
            """
        }
        // Isolated, so that a right-to-left name doesn't reorder the size and the time.
        return """
            <li>
            <p class="what"><bdi\(mark)>\(file.name)</bdi> <span class="when">\
            <span class="size">\(file.size.asByteCount)</span> · \
            <time datetime="\(file.time)">\(file.time)</time></span></p>
            \(digest ?? "")
            </li>

            """
    }

    private static func commands(_ state: PageState) -> HTML {
        let token: HTML = state.needsToken ? "-H 'Authorization: Bearer TOKEN' " : ""
        let address: HTML = #"<span class="address">\#((state.origin + "/").quotedForShell)</span>"#
        return """
            <section aria-labelledby="terminal-title">
            <h2 id="terminal-title">From a terminal</h2>
            <h3 id="curl-title">curl</h3>
            <div class="copyable command"><code>curl \(token)-F files=@FILE \(address)</code>\
            <button type="button" class="copy" aria-describedby="curl-title">Copy</button></div>
            <h3 id="formwork-title">formwork: resumes after an interruption</h3>
            <div class="copyable command"><code>formwork send --resume auto \(token)-F files=@FILE \(address)</code>\
            <button type="button" class="copy" aria-describedby="formwork-title">Copy</button></div>
            </section>
            """
    }

    private static func sentence(of limits: ReceivingLimits) -> HTML {
        let files = limits.files == 1 ? "1 file" : "\(limits.files) files"
        // The script sends each file by itself, so it hides the limits of a form.
        let form: HTML =
            #"<span class="plain">, \#(files) and \#(limits.bodyBytes.asByteCount) per upload</span>"#
        return "At most \(min(limits.fileBytes, limits.bodyBytes).asByteCount) per file\(form)."
    }

    /// The file that the template for the script's rows is made from.
    private static let empty = Arrival(id: 0, name: "", size: 0, sha256: "", time: "", state: .complete)
}

extension String {
    /// The text as one word of a shell's command line: plain addresses unchanged, any other in quotes.
    fileprivate var quotedForShell: String {
        let isPlain = self.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || "0123456789:/.-_~%".unicodeScalars.contains(scalar))
        }
        // A quote is percent-encoded, as in any URL, rather than quoted for the shell.
        let content = self.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "%27")
        return isPlain && !self.isEmpty ? self : "'\(content)'"
    }
}
#endif
