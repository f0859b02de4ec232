import Formwork
import FormworkCommand

extension ReceiverPage {
    /// The form, the files that are being sent or have arrived, and the command lines.
    static func uploads(_ state: PageState, received: ArrivalNumbers) -> HTML {
        // A file that is still arriving has no size and no digest yet.
        let files = state.arrivals.filter { $0.state == .complete }
        return """
            <h1>\(state.settings.title ?? Self.title)</h1>
            \(self.message(state.settings.message))
            \(self.news(of: files.count { received.contains($0.id) }))
            <form id="form" method="post" action="\(state.address.base)" enctype="multipart/form-data"\(state.isResumable ? self.resumes : "")>
            <label class="pick">
            <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" \
            stroke-linejoin="round" aria-hidden="true"><path d="M12 15.5V4.5M7.5 9 12 4.5 16.5 9M4 15.5v3a1.5 1.5 0 0 0 1.5 \
            1.5h13a1.5 1.5 0 0 0 1.5-1.5v-3"/></svg>
            <strong><span class="scripted idle">Choose files</span><span class="dropping">Drop to send</span>\
            <span class="plain">Files to send</span></strong>
            <span class="hint">or drop files\(state.keepsPaths ? " and folders" : "" as HTML) anywhere on this page, or paste \
            them</span>
            <input type="file" id="files" name="files" multiple required aria-describedby="limits">
            </label>
            <div class="more">
            <button class="main" id="send">Send</button>
            <label class="folder"\(state.keepsPaths ? "" : " hidden" as HTML)>Choose a folder<input type="file" id="folder" webkitdirectory multiple></label>
            <p class="muted" id="limits">\(self.sentence(of: state.limits)) \(self.promise(state))\(self.end(of: state))</p>
            </div>
            </form>
            <section aria-labelledby="list-title">
            <h2 id="list-title" tabindex="-1">Files <span id="count">\(files.count) arrived</span></h2>
            <p id="connection" role="alert"></p>
            <p class="notice good" id="done" hidden></p>
            <div id="queue" hidden>
            <progress id="overall" max="1" value="0" aria-label="Progress of all uploads" \
            aria-describedby="overall-text"></progress>
            <p class="muted" id="overall-text"></p>
            <div class="actions">
            <button type="button" id="cancel-all">Cancel all</button>
            <button type="button" id="retry-failed">Retry failed</button>
            <button type="button" id="clear">Clear</button>
            </div>
            </div>
            <ul id="queued"></ul>
            <ul id="arrived">\(files.reversed().map { self.row(of: $0, isNew: received.contains($0.id)) })</ul>
            <button type="button" id="show-all" hidden>Show all</button>
            </section>
            \(self.commands(state))
            \(state.isLoggedIn ? Self.logout(state.address.root) : "")
            <p id="status" class="spoken" role="status"></p>
            <template id="sending-row"><li tabindex="-1">
            <p class="what"><bdi></bdi> <span class="size"></span></p>
            <progress max="1" value="0"></progress>
            <p class="state"></p>
            <div class="buttons"><button type="button"></button><button type="button" hidden>Discard</button></div>
            </li></template>
            <template id="arrived-row">\(self.row(of: Self.empty))</template>
            """
    }

    private static let resumes: HTML = " data-resumes"

    /// The operator's text, a paragraph a line.
    static func message(_ text: String?) -> HTML {
        let lines = (text ?? "").split(whereSeparator: \.isNewline).map { String($0) }
            .filter { $0.contains { !$0.isWhitespace } }
        return "\(lines.map { #"<p class="message">\#($0)</p>"# as HTML })"
    }

    /// What happens to an upload that is cut. Without the script there is no promise.
    private static func promise(_ state: PageState) -> HTML {
        let text =
            state.isResumable
            ? "An upload that is interrupted continues by itself."
            : "This receiver can’t resume: an upload that is interrupted starts again from the beginning."
        return #"<span class="scripted" id="resuming">\#(text)</span>"#
    }

    /// Until when the link of this page works.
    private static func end(of state: PageState) -> HTML {
        guard let expiry = state.expiry else { return "" }
        return #" This link works until <time id="expiry" datetime="\#(expiry)">\#(self.readable(expiry))</time>."#
    }

    private static func logout(_ root: String) -> HTML {
        """
        <form id="logout" method="post" action="\(root)logout"><button>Sign out</button></form>
        """
    }

    private static func news(of count: Int) -> HTML {
        guard count > 0 else { return "" }
        let news = "\(count, "file") \(count == 1 ? "has" : "have") arrived."
        return #"<p class="notice good" role="status">\#(news)</p>"#
    }

    private static func row(of file: Arrival, isNew: Bool = false) -> HTML {
        let mark: HTML = isNew ? #" class="new""# : ""
        // Isolated, so that a right-to-left name doesn't reorder the size and the time.
        let line: HTML = """
            <bdi\(mark)>\(file.name)</bdi> <span class="when">\
            <span class="size">\(file.size.asByteSize)</span> · \
            <time datetime="\(file.time)">\(self.readable(file.time))</time></span>
            """
        guard let digest = file.sha256 else { return #"<li><p class="what">\#(line)</p></li>\#n"# }
        return """
            <li><details>
            <summary><span class="what">\(line)</span></summary>
            <div class="copyable"><span class="muted">SHA-256</span><code>\(digest)</code>\
            <button type="button" class="copy">Copy</button></div>
            </details></li>

            """
    }

    /// `2026-01-31 12:00 UTC`. The script shows the reader's own time instead.
    private static func readable(_ time: String) -> String {
        guard time.hasSuffix("Z"), time.count == 20 else { return time }
        return time.prefix(16).replacing("T", with: " ") + " UTC"
    }

    private static func commands(_ state: PageState) -> HTML {
        let token: HTML = state.needsToken ? "-H 'Authorization: Bearer TOKEN' " : ""
        let (origin, base) = (state.address.origin, state.address.base)
        let address: HTML = #"<span class="address">\#((origin + base).quotedForShell)</span>"#
        let (gain, option): (HTML, HTML) =
            state.isResumable
            ? ("shows progress, resumes after an interruption", "--resume auto ") : ("shows progress", "")
        return """
            <section id="terminal" aria-labelledby="terminal-title">
            <details>
            <summary><h2 id="terminal-title">From a terminal</h2></summary>
            <h3 id="curl-title">curl</h3>
            <div class="copyable command"><code>curl \(token)-F files=@FILE \(address)</code>\
            <button type="button" class="copy" aria-describedby="curl-title">Copy</button></div>
            <h3 id="formwork-title">formwork: \(gain)</h3>
            <div class="copyable command"><code>formwork send \(option)\(token)-F files=@FILE \(address)</code>\
            <button type="button" class="copy" aria-describedby="formwork-title">Copy</button></div>
            </details>
            </section>
            """
    }

    private static func sentence(of limits: ReceivingLimits) -> HTML {
        let files = "\(limits.files, "file")"
        // The script sends each file by itself, so it hides the limits of a form.
        let form: HTML =
            #"<span class="plain">, \#(files) and \#(limits.bodyBytes.asByteSize) per upload</span>"#
        return "At most \(min(limits.fileBytes, limits.bodyBytes).asByteSize) per file\(form)."
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
        // By scalars: a quote and a combining mark after it are one Character, but a shell sees the quote.
        let content = self.unicodeScalars.map { $0 == "'" ? "%27" : String($0) }.joined()
        return isPlain && !self.isEmpty ? self : "'\(content)'"
    }
}

/// The content of `/files.json`, which the page's script requests every few seconds.
struct FileList: Encodable {
    struct Limits: Encodable {
        /// Bytes of a request's body.
        var maxSize: Int64
        /// Bytes of a file.
        var maxFileSize: Int64
        /// Files of a form.
        var maxFiles: Int
        /// Uploads at once.
        var maxUploads: Int
    }

    /// The newest last.
    var files: [Arrival]
    var limits: Limits

    init(_ arrivals: [Arrival], _ limits: ReceivingLimits) {
        self.files = arrivals
        self.limits = Limits(
            maxSize: limits.bodyBytes, maxFileSize: limits.fileBytes, maxFiles: limits.files,
            maxUploads: limits.uploads)
    }
}
