#if Transfer
    import Foundation
    import FormworkReceiver
    import Testing

    @Suite struct ReceiverPageTests {
        private func page(_ change: (inout PageModel) -> Void = { _ in }) -> String {
            var model = PageModel(address: "http://127.0.0.1:8080/")
            change(&model)
            return ReceiverPage.html(model)
        }

        private func page(fileNamed name: String) -> String {
            self.page { $0.files = [.init(name: name, size: 1536, sha256: "0a", received: "2026-01-31T12:00:00Z")] }
        }

        @Test(arguments: [
            ("<img src=x onerror=alert(1)>.txt", "<bdi>&lt;img src=x onerror=alert(1)&gt;.txt</bdi>"),
            (#"" autofocus onfocus="alert(1)"#, "<bdi>&quot; autofocus onfocus=&quot;alert(1)</bdi>"),
            ("</bdi></li></ul><script>", "<bdi>&lt;/bdi&gt;&lt;/li&gt;&lt;/ul&gt;&lt;script&gt;</bdi>"),
            ("it's &lt;", "<bdi>it&#39;s &amp;lt;</bdi>"),
            ("evil\u{202E}gpj.exe", #"<bdi>evil\u{202E}gpj.exe</bdi>"#),
            ("a\u{2066}b\u{2069}\u{200F}", #"<bdi>a\u{2066}b\u{2069}\u{200F}</bdi>"#),
            ("line\r\nbreak\u{2028}\0", #"<bdi>line\r\nbreak\u{2028}\u{0}</bdi>"#),
            ("e\u{301} اسم 👩‍👧", "<bdi>e\u{301} اسم 👩‍👧</bdi>"),
        ])
        func `A name is text, whatever is in it`(name: String, markup: String) {
            #expect(self.page(fileNamed: name).contains(markup), "\(self.page(fileNamed: name))")
        }

        @Test func `Nothing of a model gets out of its place`() {
            let hostile = #"'"><script>alert(1)</script>"#
            let views: [PageModel.View] = [
                .files, .login(wasRefused: true), .problem(title: hostile, detail: hostile),
            ]
            for view in views {
                let page = self.page {
                    $0.view = view
                    $0.address = hostile
                    $0.files = [.init(name: hostile, size: 1, sha256: hostile, received: hostile, isNew: true)]
                }
                #expect(!page.contains("<script>"))
                #expect(!page.contains(#"'">"#))
            }
        }

        @Test(arguments: [PageModel.View.files, .login(wasRefused: true), .problem(title: "Gone", detail: nil)])
        func `The policy would refuse nothing of it`(view: PageModel.View) throws {
            let page = self.page {
                $0.view = view
                $0.files = [.init(name: "a", size: 1, sha256: nil, received: "2026-01-31T12:00:00Z")]
            }
            // Style elements and attributes, handlers, scripts with content, addresses of other places.
            #expect(!page.contains(/<style|\sstyle=|\son[a-z]+=|javascript:/.ignoresCase()))
            #expect(!page.contains(/<script(?![^>]*\ssrc="page\.js")|<script[^>]*>[^<]/.ignoresCase()))
            #expect(!page.contains(/\s(src|href|action)="(?!page\.|data:image|\.\/|login")/.ignoresCase()))
            #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
        }

        @Test func `The script is on the page of files alone: the others have nothing for it`() {
            #expect(self.page().contains(#"<script src="page.js" type="module"></script>"#))
            #expect(!self.page { $0.view = .login(wasRefused: false) }.contains("page.js"))
            #expect(!self.page { $0.view = .problem(title: "Gone", detail: nil) }.contains("page.js"))
        }

        @Test func `The newest file comes first, with its size, digest and time`() throws {
            let page = self.page {
                $0.files = [
                    .init(name: "old.txt", size: 1, sha256: "aa", received: "2026-01-31T12:00:00Z"),
                    .init(name: "new.txt", size: 1536, sha256: "bb", received: "2026-01-31T13:00:00Z", isNew: true),
                ]
            }
            let new = try #require(page.range(of: #"<bdi class="new">new.txt</bdi>"#))
            let old = try #require(page.range(of: "<bdi>old.txt</bdi>"))
            #expect(new.lowerBound < old.lowerBound)
            #expect(page.contains(#"<span class="size">1.5 KiB</span>"#))
            #expect(page.contains("<code>bb</code>"))
            #expect(page.contains(#"<time datetime="2026-01-31T13:00:00Z">"#))
            #expect(page.contains("1 file has arrived."))
        }

        @Test(arguments: [
            (false, "http://127.0.0.1:8080/", "curl -F files=@FILE", ">http://127.0.0.1:8080/<"),
            (
                true, "http://[::1]:8080/", "curl -H 'Authorization: Bearer TOKEN' -F files=@FILE",
                ">'http://[::1]:8080/'<"
            ),
            (false, "http://a';reboot;'/", "formwork send -F files=@FILE", ">'http://a%27;reboot;%27/'<"),
        ])
        func `Command lines are ready for a shell`(needsToken: Bool, address: String, command: String, word: String) {
            let page = self.page { ($0.needsToken, $0.address) = (needsToken, address) }
            let shown = page.replacing("&#39;", with: "'")
            #expect(shown.contains("\(command) <span class=\"address\""), "\(shown)")
            #expect(shown.contains(word), "\(shown)")
        }

        @Test(arguments: [
            (PageModel.Limits(), "Files of any size."),
            (PageModel.Limits(maxFileSize: 8 << 20), "At most 8.0 MiB a file."),
            (PageModel.Limits(maxSize: 1 << 30, maxFileSize: 1 << 20), "At most 1.0 MiB a file, 1.0 GiB a request."),
            (PageModel.Limits(maxFiles: 1), #"<span class="plain">At most 1 file at once.</span>"#),
        ])
        func `Limits are told`(limits: PageModel.Limits, text: String) {
            #expect(self.page { $0.limits = limits }.contains(text))
        }

        @Test(
            arguments: [
                (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1280, "1.3 KiB"),
                (1536, "1.5 KiB"),
                (1_048_524, "1023.9 KiB"), (1_048_525, "1.0 MiB"), (1_048_576, "1.0 MiB"), (5_000_000_000, "4.7 GiB"),
                (1 << 50, "1.0 PiB"), (Int64.max, "8192.0 PiB"),
            ] as [(Int64, String)])
        func `Sizes are read easily`(size: Int64, text: String) {
            #expect(size.asByteCount == text)
        }
    }
#endif
