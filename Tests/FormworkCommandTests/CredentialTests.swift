@testable import FormworkCommand
import Foundation
import Testing

/// Where `send` takes credentials from, and who sees them.
@Suite("Credentials", .timeLimit(.minutes(10)))
struct CredentialTests {
    @Test(
        "At the password's prompt, the end of input and what isn't UTF-8 are refused",
        arguments: [([4], "no password was typed"), ([0xFF, 10], "the password isn't UTF-8")])
    func promptRefusals(typed: [UInt8], message: String) throws {
        let result = try PseudoTerminal.run(
            "setsid --ctty --wait \"$F\" send http://127.0.0.1:1/ -F a=1 -u me -q; echo exit $?", columns: 200,
            typing: ("Password for me: ", typed))
        #expect(result.text.contains("-u: \(message)") && result.text.contains("exit 2"), "\(result.text)")
    }

    @Test("-u without a password asks on the terminal, which doesn't show it")
    func prompt() throws {
        let receiver = try Receiver()
        let result = try PseudoTerminal.run(
            "setsid --ctty --wait \"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=1 -u me -q", columns: 80,
            typing: ("Password for me: ", Array("s3cret\n".utf8)))
        #expect(result.text.contains("Password for me: ") && !result.text.contains("s3cret"), "\(result.text)")
        // printf me:s3cret | base64
        #expect(receiver.request().head.contains("\r\nAuthorization: Basic bWU6czNjcmV0\r\n"))
    }

    @Test("The list of processes doesn't show them")
    func processList() throws {
        // Nobody answers there, so that the command waits.
        let silent = try Receiver(answering: "200 OK", after: 1_000_000)
        let result = try Command.shell(
            """
            "$F" send "http://u:hidden1@127.0.0.1:\(silent.port)/?token=hidden6&n=shown&api_key=hidden7#end" \
              -F a=shown -u me:hidden2 --user=me:hidden3 --url-query sig=hidden8 --url-query=secret=hidden9 \
              -H 'Authorization: hidden4' -H 'X-Api-Key: hidden5' -H 'X-Other: shown' -x '' -q & P=$!
            ready() { readlink /proc/$P/exe | grep -q transfer && ! grep -q hidden /proc/$P/cmdline; }
            until ready || ! kill -0 $P; do sleep 0.05; done
            tr '\\0' ' ' < /proc/$P/cmdline; kill $P; wait $P
            """)
        #expect(!result.text.contains("hidden"), "\(result.text)")
        #expect(result.text.contains("-F a=shown ") && result.text.contains("X-Other: shown"), "\(result.text)")
        #expect(result.text.contains("http://*********@127.0.0.1:"), "\(result.text)")
        #expect(result.text.contains("/?token=*******&n=shown&api_key=*******#end "), "\(result.text)")
        #expect(result.text.contains("--url-query sig=******* --url-query=secret=******* "), "\(result.text)")
    }

    @Test("Which bytes of the arguments are secrets")
    func secretRanges() {
        let words = [
            "send", "https://me:pw@h/?a=b@c", "-u", "me:pw", "--user=x", "-uy:z", "-H", "Cookie: a=b",
            "-HX-Auth-Token: 1",
            "--header=Accept: */*", "-H", "X-Author: me", "--proxy", "http://p:q@proxy", "-F", "u=me:pw", "a@b",
            "-sSuv:w", "-qu", "n:o", "-vHCookie: c=d", "-sH", "Authorization: e", "-bk=l", "-XPUT", "-xhttp://r:s@p",
            "h.example/?access_token=t1&a=b", "https://a:b@h/?key=&Signature=t2&jwt=t3", "--url-query", "token=t4",
            "--url-query=session_id=t5", "--url-query", "name=shown", "-F", "note=?monkey=1",
        ]
        let found = SecretArguments.ranges(in: words).map { index, range in
            String(decoding: Array(words[index].utf8)[range], as: UTF8.self)
        }
        #expect(
            found == [
                "me:pw", "me:pw", "x", "y:z", " a=b", " 1", "p:q", "a", "v:w", "n:o", " c=d", " e", "k=l", "r:s", "t1",
                "a:b", "t2", "t3", "t4", "t5",
            ])
    }
}
