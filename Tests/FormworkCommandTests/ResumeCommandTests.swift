import TestSupport
import Testing

/// `send --state` to `receive`, both as processes.
@Suite("Going on in a later process", .timeLimit(.minutes(10)))
struct ResumeCommandTests {
    /// `$U` is the receiver's address; `cut` begins an upload of `large` and kills its sender.
    private static let start = """
        receive in
        begin() { "$F" send $U -F a=1 -F f=@large --state state -q "$@"; }
        start() { "$F" send $U -F a=1 -F f=@large --state state -q --limit-rate 1M > /dev/null & S=$!; }
        cut() { start
          until [ -s state ]; do sleep 0.05; done; sleep 1; kill -KILL $S; wait $S 2>/dev/null; }

        """

    private static func run(_ script: String) throws -> Outcome {
        let folder = Folder()
        try folder.sparse("large", 8 << 20)
        return try Command.shell(Self.start + script + "\nkill $P; wait $P", in: folder.path)
    }

    @Test("A killed upload goes on by the same command, and its state is removed at the end")
    func goesOn() throws {
        let outcome = try Self.run(
            """
            cut; stat -c %a state
            "$F" send $U -F a=1 -F f=@large --state state --json --boundary other > report; echo "exit $?"
            grep -c '"resumable": "draft-9"' report; grep -Ec '"resumedFrom": [1-9]' report
            grep -c '"status": 201' report; ls state 2>&1; ls in; cmp in/large large && echo same
            """)
        #expect(
            outcome.text == """
                600\nexit 0\n1\n1\n1\nls: cannot access 'state': No such file or directory\nlarge\nlarge.form.json\nsame\n
                """, "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "the given boundary is ignored: the upload saved in state continues with its own boundary\n"),
            "\(outcome.errors)")
    }

    @Test("Other parts, another place, or a changed file are not mixed into it")
    func refuses() throws {
        let outcome = try Self.run(
            """
            cut
            begin -F b=2; echo "exit $?"
            "$F" send ${U}other -F a=1 -F f=@large --state state -q; echo "exit $?"
            printf x >> large; begin; echo "exit $?"; ls state
            """)
        #expect(outcome.text == "exit 65\nexit 65\nexit 65\nstate\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("state: holds another upload, to http://127.0.0.1:"), "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "state: large changed since its upload began: remove state, or use --restart-if-changed, to start again\n"
            ), "\(outcome.errors)")
    }

    @Test("It says where it resumes, and starts again on request")
    func resuming() throws {
        let outcome = try Self.run(
            """
            cut; "$F" send $U -F a=1 -F f=@large --state state > /dev/null 2> notes; echo "exit $?"
            grep -cE '^[0-9:]{8} formwork: resuming at [0-9.]+ (KiB|MiB) of 8.0 MiB$' notes
            cut; printf x >> large
            "$F" send $U -F a=1 -F f=@large --state state --restart-if-changed > /dev/null 2> notes; echo "exit $?"
            grep -c '^formwork: warning: state: large changed since its upload began: starting again$' notes
            cmp 'in/large (1)' large && echo same; cut
            "$F" send $U -F b=2 --state state --restart-if-changed > /dev/null 2> notes; echo "exit $?"
            grep -c '^formwork: warning: state: it holds another upload, to the same URL, of other parts or with another method: starting again$' notes
            """)
        #expect(outcome.text == "exit 0\n1\nexit 0\n1\nsame\nexit 0\n1\n", "\(outcome.errors)")
    }

    @Test("Two processes don't continue one upload, and the lock goes with its owner")
    func lock() throws {
        let outcome = try Self.run(
            """
            start
            until [ -s state ]; do sleep 0.05; done
            begin; echo "exit $?"; kill -KILL $S; wait $S 2> /dev/null
            begin > /dev/null; echo "exit $?"; ls state*
            """)
        #expect(outcome.text == "exit 65\nexit 0\n", "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "formwork: --state: state: another process continues this upload: wait for it to end\n"),
            "\(outcome.errors)")
    }

    @Test("--state FOLDER/ has a state for each URL and form, for this user only")
    func stateFolder() throws {
        let outcome = try Self.run(
            """
            send() { "$F" send $U --state states/ -q "$@"; }
            begun() { ls states 2> /dev/null | grep -c 'json$'; }
            "$F" send $U --state states/ -q -F f=@large --limit-rate 1M > /dev/null & S=$!; until [ "$(begun)" = 1 ]; do sleep 0.05; done
            "$F" send $U --state states/ -q -F g=@large --limit-rate 1M > /dev/null & R=$!; until [ "$(begun)" = 2 ]; do sleep 0.05; done
            sleep 1; kill -KILL $S $R; wait $S $R 2> /dev/null; stat -c %a states
            send -F f=@large --json > report; echo "exit $?"; grep -Ec '"resumedFrom": [1-9]' report; begun
            send -F g=@large --json > report; echo "exit $?"; grep -Ec '"resumedFrom": [1-9]' report; ls -A states
            """)
        #expect(outcome.text == "700\nexit 0\n1\n1\nexit 0\n1\n", "\(outcome.errors)")
    }

    @Test("An upload that the server no longer has isn't sent a second time without being asked for")
    func lost() throws {
        let outcome = try Self.run(
            """
            cut; kill $P; wait $P; rm -rf in; port=${U##*:}
            PORT=${port%/} receive in
            begin; echo "exit $?"; ls state; find in -type f
            "$F" send $U -F a=1 -F f=@large --state state --restart-if-changed > /dev/null; echo "exit $?"
            ls state 2> /dev/null; cmp in/large large && echo same
            """)
        #expect(outcome.text == "exit 65\nstate\nexit 0\nsame\n", "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "formwork: the server no longer has the upload (404), and may have stored all of it: look there, or add "
                    + "--restart-if-changed to send it again\n"), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("the server no longer has the upload (404), which begins again at byte 0; try 2"),
            "\(outcome.errors)")
    }

    @Test("A damaged state is begun again on request, and other files are left alone")
    func damaged() throws {
        let outcome = try Self.run(
            """
            cut; head -c 20 state > part; cp part state
            begin; echo "exit $?"; begin --restart-if-changed > /dev/null; echo "exit $?"
            head -c 500 /dev/zero > state; begin --restart-if-changed > /dev/null; echo "exit $?"
            echo '{"name": "mine"}' > state; begin --restart-if-changed; echo "exit $?"; cat state
            """)
        #expect(outcome.text == "exit 26\nexit 0\nexit 0\nexit 26\n{\"name\": \"mine\"}\n", "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "formwork: state: is damaged: remove it, or use --restart-if-changed, to start again\n"),
            "\(outcome.errors)")
    }

    @Test("In a folder of states nothing that a crash left blocks the next upload")
    func damagedFolder() throws {
        let outcome = try Self.run(
            """
            send() { "$F" send $U -F f=@large --state states/ "$@" > /dev/null; }
            "$F" send $U -F f=@large --state states/ --limit-rate 1M -q > /dev/null & S=$!; until ls states/*.json > /dev/null 2>&1; do sleep 0.05; done
            sleep 0.5; kill -KILL $S; wait $S 2> /dev/null
            for file in states/*.json; do echo x > $file; echo x > $file.lock; done
            send; echo "exit $?"; ls states; cmp in/large large && echo same
            """)
        #expect(outcome.text == "exit 0\nsame\n", "\(outcome.errors)")
        #expect(outcome.errors.contains(": it is damaged: starting again\n"), "\(outcome.errors)")
    }

    @Test("A body that a later process can't make again has no state")
    func notReplayable() throws {
        let outcome = try Self.run(
            """
            echo x | "$F" send $U -F 'f=@-;filename=x' --state state -q; echo "exit $?"; ls state 2> /dev/null
            "$F" send $U -F a=1 --resume off --state state; echo "exit $?"
            echo no > state; begin; echo "exit $?"
            """)
        #expect(outcome.text == "exit 65\nexit 2\nexit 26\n", "\(outcome.errors)")
    }

    @Test("A receiver without --resume takes the body whole")
    func plain() throws {
        let outcome = try Command.shell(
            """
            receive in --no-resume
            "$F" send $(cat url) -F f=x --resume auto -o /dev/null; echo "exit $?"
            "$F" send $(cat url) -F 'f=@-;filename=x' --repr-digest -q < /dev/null; echo "exit $?"
            ls -A in | sed 's/^form-.*\\.form/form/'; kill $P; wait $P
            """)
        #expect(outcome.text == "exit 0\nexit 65\nform.json\n", "\(outcome.errors)")
    }

    @Test("A balancer that sends requests of one upload to different servers is named", arguments: ["ietf", "tus"])
    func balancer(way: String) throws {
        let folder = Folder()
        try folder.sparse("large", 1 << 20)
        let relay = try AlternatingRelay(servers: 2)
        let outcome = try Command.shell(
            """
            for port in \(relay.targets.map(String.init).joined(separator: " ")); do
              "$F" receive --dir in$port --port $port > url$port 2> log & P="$P $!"
              until [ -s url$port ]; do sleep 0.05; done
            done
            "$F" send http://127.0.0.1:\(relay.port)/ -F f=@large --resume \(way) --retry-delay 0.1 -q; echo "exit $?"
            ls in*/ | grep large; kill $P; wait $P
            """, in: folder.path)
        #expect(outcome.text == "exit 65\n", "\(outcome.errors)")
        #expect(
            outcome.errors == """
                formwork: the server lost the upload (404) after 0 bytes, 3 times in total: if several servers share this \
                address, they need one folder for unfinished uploads, or a balancer that keeps a client at one of them\n
                """)
    }

    @Test("A redirect that nothing can go on at is 47")
    func redirect() throws {
        let receiver = try Receiver(answering: "302 Found")
        let result = try Command.run("send", "127.0.0.1:\(receiver.port)", "-F", "a=1", "--resume", "ietf")
        #expect(result.status == 47)
    }

    @Test("As many tries as a number can tell")
    func mostTries() throws {
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "127.0.0.1:\(receiver.port)", "-F", "a=1", "--resume", "auto", "--retry", "9223372036854775807")
        #expect(result.status == 0 && result.text == "ok")
    }

    @Test("--retry-delay counts without --retry, too")
    func delay() throws {
        let result = try Command.run(
            "send", "http://127.0.0.1:1", "-F", "a=1", "--resume", "auto", "--retry-delay", "0.1", "-m", "5")
        #expect(result.status == 7)
        #expect(result.errors.contains("; try 2 in 0.1 s\n") && result.errors.contains("; try 8 in 0.1 s\n"))
    }
}
