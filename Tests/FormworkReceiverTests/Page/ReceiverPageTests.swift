import Foundation
import FormworkHTTP
import FormworkResumable
@testable import FormworkReceiver
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReceiverPageTests {
    private static func page(
        _ view: PageState.View = .uploads(received: ArrivalNumbers([])), _ arrivals: [Arrival] = [],
        _ change: (inout PageState) -> Void = { _ in }
    ) -> String {
        var state = PageState(
            view: view, limits: ReceivingLimits(), arrivals: arrivals,
            address: PageState.Address(origin: "http://127.0.0.1:8080"), needsToken: false)
        change(&state)
        return ReceiverPage.html(state)
    }

    private static func file(_ id: Int, _ name: String, _ state: Arrival.State = .complete) -> Arrival {
        Arrival(id: id, name: name, size: 1536, sha256: "0a", time: "2026-01-31T12:00:00Z", state: state)
    }

    @Test(arguments: [
        ("<img src=x onerror=alert(1)>.txt", "<bdi>&lt;img src=x onerror=alert(1)&gt;.txt</bdi>"),
        (#"" autofocus onfocus="alert(1)"#, "<bdi>&quot; autofocus onfocus=&quot;alert(1)</bdi>"),
        ("</bdi></li></ul><script>", "<bdi>&lt;/bdi&gt;&lt;/li&gt;&lt;/ul&gt;&lt;script&gt;</bdi>"),
        ("it's &lt;", "<bdi>it&#39;s &amp;lt;</bdi>"),
        ("evil\u{202E}gpj.exe", #"<bdi>evil\u{202E}gpj.exe</bdi>"#),
        ("a\u{2066}b\u{2069}\u{200F}", #"<bdi>a\u{2066}b\u{2069}\u{200F}</bdi>"#),
        ("line\r\nbreak\u{2028}\0", #"<bdi>line\r\nbreak\u{2028}\0</bdi>"#),
        ("e\u{301} اسم 👩‍👧", "<bdi>e\u{301} اسم 👩‍👧</bdi>"),
    ])
    func `A name is text, whatever is in it`(name: String, markup: String) {
        let page = Self.page(.uploads(received: ArrivalNumbers([])), [Self.file(1, name)])
        #expect(page.contains(markup), "\(page)")
    }

    @Test func `No text breaks out of its place`() {
        let hostile = #"'"><script>alert(1)</script>"#
        let problem = ProblemDetails(title: hostile, status: 400, detail: hostile)
        for view in [
            PageState.View.uploads(received: ArrivalNumbers([1])), .login(refusal: "The token is wrong."),
            .problem(problem),
        ] {
            var file = Self.file(1, hostile)
            (file.sha256, file.time) = (hostile, hostile)
            let page = Self.page(view, [file]) {
                ($0.address.origin, $0.settings) = (hostile, PageSettings(title: hostile, message: hostile))
            }
            #expect(!page.contains("<script>"))
            #expect(!page.contains(#"'">"#))
        }
    }

    @Test(arguments: [
        PageState.View.uploads(received: ArrivalNumbers([1])), .login(refusal: "The token is wrong."),
        .problem(ProblemDetails(title: "Gone", status: 410)),
    ])
    func `The policy allows everything on the page`(view: PageState.View) {
        let page = Self.page(view, [Self.file(1, "a.txt")])
        // Style elements and attributes, handlers, scripts with content, addresses of other places.
        #expect(!page.contains(/<style|\sstyle=|\son[a-z]+=|javascript:/.ignoresCase()))
        #expect(!page.contains(/<script(?![^>]*\ssrc="\/page\.js")|<script[^>]*>[^<]/.ignoresCase()))
        #expect(!page.contains(/\s(src|href|action)="(?!\/page\.|data:image|\/"|\/login")/.ignoresCase()))
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    }

    @Test func `Only the page of files has the script`() {
        #expect(Self.page().contains(#"<script src="/page.js" type="module"></script>"#))
        #expect(!Self.page(.login(refusal: nil)).contains("page.js"))
        #expect(!Self.page(.problem(ProblemDetails(title: "Gone", status: 410))).contains("page.js"))
    }

    @Test func `The newest file comes first, and what is not complete doesn't come`() throws {
        let page = Self.page(
            .uploads(received: ArrivalNumbers([2])),
            [
                Self.file(1, "old.txt"), Self.file(2, "new.txt"), Self.file(3, "on its way.txt", .receiving),
                Self.file(4, "failed.txt", .failed),
            ])
        let new = try #require(page.range(of: #"<bdi class="new">new.txt</bdi>"#))
        let old = try #require(page.range(of: "<bdi>old.txt</bdi>"))
        #expect(new.lowerBound < old.lowerBound)
        #expect(page.contains(#"<span class="size">1.5 KiB</span>"#))
        #expect(page.contains("<code>0a</code>"))
        #expect(page.contains(#"<time datetime="2026-01-31T12:00:00Z">2026-01-31 12:00 UTC</time>"#))
        #expect(page.contains("1 file has arrived."))
        #expect(page.contains(#"<span id="count">2 arrived</span>"#))
        #expect(!page.contains("on its way.txt") && !page.contains("failed.txt"))
    }

    @Test(arguments: [
        (false, "http://127.0.0.1:8080", "curl -F files=@FILE", ">http://127.0.0.1:8080/<"),
        (
            true, "http://[::1]:8080", "curl -H 'Authorization: Bearer TOKEN' -F files=@FILE",
            ">'http://[::1]:8080/'<"
        ),
        (false, "http://a';reboot;'", "formwork send --resume auto -F files=@FILE", ">'http://a%27;reboot;%27/'<"),
    ])
    func `Command lines are ready for a shell`(needsToken: Bool, origin: String, command: String, word: String) {
        let page = Self.page { ($0.needsToken, $0.address.origin, $0.isResumable) = (needsToken, origin, true) }
            .replacing(
                "&#39;", with: "'")
        #expect(page.contains("\(command) <span class=\"address\""), "\(page)")
        #expect(page.contains(word), "\(page)")
    }

    @Test func `A finished file is one line, with its digest folded`() {
        var plain = Self.file(2, "no digest.txt")
        plain.sha256 = nil
        let page = Self.page(.uploads(received: ArrivalNumbers([])), [Self.file(1, "a.txt"), plain])
        let rows = page.split(separator: "<template")[0]
        #expect(rows.contains(#"<summary><span class="what"><bdi>a.txt</bdi>"#), "\(rows)")
        #expect(rows.contains(#"<li><p class="what"><bdi>no digest.txt</bdi>"#), "\(rows)")
        #expect(!page.contains("<details open"))
    }

    @Test func `No quote with a mark ends the word of a command`() {
        let page = Self.page { $0.address.base = "/'\u{301};x;'\u{301}/" }
        let word = "&#39;http://127.0.0.1:8080/%27\u{301};x;%27\u{301}/&#39;"
        #expect(page.contains("<span class=\"address\">\(word)</span>"))
    }

    @Test func `There is one list of files`() {
        let page = Self.page(.uploads(received: ArrivalNumbers([])), [Self.file(1, "a.txt")])
        let headings = page.matches(of: /<h2[^>]*>([A-Za-z ]+)/).map { String($0.1) }
        #expect(headings == ["Files ", "From a terminal"])
    }

    @Test func `The operator's title and message are plain text`() {
        let page = Self.page {
            $0.settings = PageSettings(title: "Wedding <3", message: "Photos & films,\nplease.\r\n\r\n<b>Thanks</b>")
        }
        #expect(page.contains("<title>Wedding &lt;3</title>"))
        #expect(page.contains("<h1>Wedding &lt;3</h1>"))
        let message = """
            <p class="message">Photos &amp; films,</p><p class="message">please.</p>\
            <p class="message">&lt;b&gt;Thanks&lt;/b&gt;</p>
            """
        #expect(page.contains(message), "\(page)")
        #expect(!page.contains("They are stored by"))
    }

    @Test func `Without them the page says what it is for`() {
        for message in [nil, "", "\n \n"] as [String?] {
            let page = Self.page { $0.settings.message = message }
            #expect(page.contains("<title>Send files</title>"))
            #expect(page.contains("<h1>Send files</h1>"))
            #expect(page.contains("<h1>Send files</h1>") && !page.contains(#"class="message""#))
        }
    }

    @Test func `Who signs in sees both, and why the last token was refused`() {
        let page = Self.page(.login(refusal: "Wait 6 seconds.")) {
            $0.settings = PageSettings(title: "Photos", message: "Of the regatta")
        }
        #expect(page.contains("<h1>Photos</h1>\n<p class=\"message\">Of the regatta</p>"))
        #expect(page.contains(#"<p class="notice" id="refusal" role="alert">Wait 6 seconds.</p>"#))
    }

    @Test func `Who isn't allowed to send has no way to the login`() {
        let page = Self.page(
            .problem(ProblemDetails(title: "Forbidden", status: 403, detail: "This upload link expired.")))
        #expect(page.contains("<h1>You can’t send files here</h1>") && page.contains("This upload link expired."))
        #expect(!page.contains("Forbidden") && !page.contains("<a href"))
        #expect(
            Self.page(.problem(ProblemDetails(title: "Gone", status: 410))).contains(
                #"<a href="/">Back to the upload page</a>"#))
    }

    @Test(arguments: [
        (true, " data-resumes>", "An upload that is interrupted continues by itself."),
        (
            false, #"enctype="multipart/form-data">"#,
            "This receiver can’t resume: an upload that is interrupted starts again from the beginning."
        ),
    ])
    func `The page says whether an upload can resume`(isResumable: Bool, form: String, text: String) {
        let page = Self.page { $0.isResumable = isResumable }
        #expect(page.contains(form))
        #expect(page.contains(#"<span class="scripted" id="resuming">\#(text)</span>"#), "\(page)")
        #expect(page.contains("formwork: shows progress, resumes after an interruption</h3>") == isResumable)
        #expect(page.contains("<code>formwork send --resume auto -F files=@FILE ") == isResumable)
        #expect(page.contains("<code>formwork send -F files=@FILE ") == !isResumable)
    }

    @Test func `Limits are shown`() {
        let page = Self.page { ($0.limits.fileBytes, $0.limits.bodyBytes, $0.limits.files) = (8 << 20, 1 << 30, 1) }
        let more = #"<span class="plain">, 1 file and 1.0 GiB per upload</span>"#
        #expect(page.contains("At most 8.0 MiB per file\(more)."))
    }
}
