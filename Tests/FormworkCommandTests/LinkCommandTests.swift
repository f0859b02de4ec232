import Formwork
@testable import FormworkCommand
import Foundation
import Testing

/// `formwork link`, and a receiver with its key.
@Suite("Upload links", .timeLimit(.minutes(10)))
struct LinkCommandTests {
    private static let key = "0123456789abcdef0123456789abcdef"

    /// Checks a link's signature, and prints its claims.
    private static let check = """
        import base64, hashlib, hmac, sys
        key, url = sys.argv[1].encode(), sys.argv[2]
        claims, signature = (base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
            for word in url.split("/.link/")[1].rstrip("/").split("."))
        assert hmac.compare_digest(hmac.new(key, claims, hashlib.sha256).digest(), signature)
        print(url.split("/.link/")[0])
        print(claims.decode())
        """

    private static func run(_ script: String) throws -> Outcome {
        return try Command.shell(
            """
            echo \(Self.key) > key
            cat > check.py <<'END'
            \(Self.check)
            END
            link() { "$F" link --key-file key "$@"; }
            check() { python3 check.py \(Self.key) "$1" |
              sed -e 's/^id=[0-9a-f]\\{16\\}$/id=N/' -e 's/^expires=[0-9]*$/expires=N/'; }
            begin() { receive in --link-key-file key "$@"; }
            \(script)
            """)
    }

    @Test func `Python checks the signature`() throws {
        let outcome = try Self.run(
            """
            check "$(link --to https://up.example.com/ --expires 2d --max-size 5G --prefix inbox/ann/ --title 'Ann & Bob')"
            check "$(link --to h.example --limit total=20G --limit uses=3)"
            check "$(FORMWORK_LINK_KEY=\(Self.key) "$F" link --to localhost:8080)"
            N=$(date +%s); E=$(python3 check.py \(Self.key) "$(link --to h --expires 2h)" | sed -n 's/expires=//p')
            [ $((E - N)) -ge 7200 ] && [ $((E - N)) -lt 7300 ] && echo "two hours"
            """)
        #expect(
            outcome.text == """
                https://up.example.com
                formwork-link 1
                expires=N
                id=N
                max-size=5368709120
                prefix=inbox/ann
                title=Ann & Bob
                http://h.example
                formwork-link 1
                expires=N
                id=N
                total=21474836480
                uses=3
                http://localhost:8080
                formwork-link 1
                expires=N
                id=N
                two hours

                """, "\(outcome.errors)")
    }

    @Test func `The object follows its schema`() throws {
        let outcome = try Self.run(
            "link --to https://h --max-size 1k --prefix a --title T --json; link --to https://h --json >&2")
        #expect(try SchemaCheck("link").violations(outcome.text) == [])
        #expect(try SchemaCheck("link").violations(outcome.errors) == [])
        let object = try outcome.object()
        #expect(object["maxSize"] as? Int == 1_024 && object["prefix"] as? String == "a")
        #expect(object["title"] as? String == "T")
        #expect((object["url"] as? String)?.hasPrefix("https://h/.link/") == true)
    }

    @Test func `curl, send and a resumed upload use a link without a token`() throws {
        let outcome = try Self.run(
            """
            begin --token a-token-of-the-owner
            L=$(link --to ${U%/} --prefix inbox/ann --max-size 1M); printf hello > a.txt; head -c 3000000 /dev/zero > big
            ask -T a.txt $U; ask -T a.txt $L; ask -F f=@a.txt $L; ask -T big $L; ask -T - $L"b.txt" < a.txt
            "$F" send "$L" -F f=@a.txt -q -o answer -v 2> verbose; echo "exit $?"
            "$F" send "$L" -F f=@a.txt --resume ietf -q -o answer; echo "exit $?"
            "$F" send "$L" -F f=@a.txt --resume tus -q -o answer; echo "exit $?"
            "$F" send "$L" -F f=@big --resume tus -q -o answer; echo "exit $?"
            kill -TERM $P; wait $P; find in -type f -not -path '*/.formwork*' | sort
            S=${L#*/.link/*.}; S=${S%/}; grep -c -e "$S" log verbose; grep -o '/.link/[^.]*[.][*]*' verbose | sort -u | wc -l
            """)
        #expect(
            outcome.text == """
                401
                201
                201
                413
                201
                exit 0
                exit 0
                exit 0
                exit 63
                in/inbox/ann/a (1).txt
                in/inbox/ann/a (2).txt
                in/inbox/ann/a (3).txt
                in/inbox/ann/a (4).txt
                in/inbox/ann/a.txt
                in/inbox/ann/b.txt
                log:0
                verbose:0
                1

                """, "\(outcome.errors)")
    }

    @Test func `SIGHUP reads the key again`() throws {
        let outcome = try Self.run(
            """
            begin; L=$(link --to ${U%/}); printf hi > a
            ask -T a $L; (echo fedcba9876543210fedcba9876543210; cat key) > keys; cp keys key; kill -HUP $P
            until grep -q 'read again' log; do sleep 0.05; done
            M=$(link --to ${U%/}); ask -T a $L; ask -T a $M
            head -n 1 keys > key; kill -HUP $P; until [ $(grep -c 'read again' log) = 2 ]; do sleep 0.05; done
            ask -T a $L; ask -T a $M; kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "201\n201\n201\n403\n201\n")
    }

    @Test func `A link is used up, and another is withdrawn`() throws {
        let outcome = try Self.run(
            """
            begin; printf hi > a
            L=$(link --to ${U%/} --limit uses=2); ask -T a $L; ask -T a $L; ask -T a $L
            link --to ${U%/} --json > link.json; field() { python3 -c "import json; print(json.load(open('link.json'))['$1'])"; }
            ask -T a $(field url); field id >> key; kill -HUP $P; until grep -q 'read again' log; do sleep 0.05; done
            ask -T a $(field url); ask -T a $(link --to ${U%/}); kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "201\n201\n403\n201\n403\n201\n", "\(outcome.errors)")
    }

    @Test func `The list of processes shows no signature`() {
        let words = ["formwork", "send", "https://h/.link/Zm9v.c2ln-X_9/", "-F", "a=1", "x/.link/a.b?c/.link/d.e"]
        let found = SecretArguments.ranges(in: words).map { word, range in
            String(decoding: Array(words[word].utf8)[range], as: UTF8.self)
        }
        #expect(found == ["c2ln-X_9", "b", "e"])
        #expect(SecretText.masked(words[2]) == "https://h/.link/Zm9v.***/")
        #expect(SecretText.masked(words[5]) == "x/.link/a.***?c/.link/d.***")
    }
}
