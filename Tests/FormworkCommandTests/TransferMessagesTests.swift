import Foundation
import TestSupport
import Testing

/// What `send` and `receive` say of what is wrong: the option, the file, and what to do, in no library's words.
@Suite("send and receive say what is wrong", .timeLimit(.minutes(10)))
struct TransferMessagesTests {
    /// - Returns: The lines on standard error, and what is on standard output.
    private func run(_ script: String) throws -> Outcome {
        let outcome = try Command.shell(
            """
            unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
            send() { "$F" send "$@"; echo $?; }
            receive() { timeout 60 "$F" receive --dir in --port 0 "$@"; echo $?; }
            \(script)
            """)
        #expect(!outcome.errors.contains("Domain"), "\(outcome.errors)")
        return outcome
    }

    @Test("A tunnel whose first bytes aren't TLS is one error, with the proxy's head or after it")
    func tunnelWithoutTLS() throws {
        for (rest, pause) in [
            ("SSH-2.0-OpenSSH_9.2\r\n", nil), ("SSH-2.0-OpenSSH_9.2\r\n", 300_000),
            ("HTTP/1.1 400 Bad Request\r\n\r\n", nil), ("HTTP/1.1 400 Bad Request\r\n\r\n", 300_000),
        ] as [(String, UInt32?)] {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            listener.acceptOne { connection in
                _ = connection.read()
                var answer = "HTTP/1.1 200 Established\r\n\r\n"
                if let pause {
                    connection.write(answer)
                    usleep(pause)
                    answer = ""
                }
                connection.write(answer + rest)
                connection.end()
            }
            let outcome = try self.run(
                "send https://x.invalid -F a=b -x http://127.0.0.1:\(listener.port)")
            #expect(outcome.text == "35\n", "\(rest)")
            #expect(
                outcome.errors == "formwork: x.invalid: doesn't use TLS (wrong version number)\n", "\(outcome.errors)")
        }
    }

    @Test("The lock of a killed process goes with the next upload of its folder")
    func staleLock() throws {
        let receiver = try Receiver()
        let outcome = try self.run(
            """
            mkdir states; echo x > f; : > states/0123.json.lock; : > states/4567.json.lock
            exec 9< states/4567.json.lock; flock -n 9
            send http://127.0.0.1:\(receiver.port) -F f=@f --state states/ -q; ls states
            """)
        #expect(outcome.text == "ok0\n4567.json.lock\n")
    }

    @Test("Certificates and keys that can't be used")
    func certificates() throws {
        guard try Command.shell("command -v openssl").status == 0 else { return }
        let outcome = try self.run(
            """
            make() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout k$1 -out c$1 -subj /CN=a -days 2 2> /dev/null; }
            make 1; make 2; openssl pkey -in k1 -aes128 -passout pass:x -out locked; echo text > text
            receive --tls-cert c1 --tls-key nope
            receive --tls-cert c1 --tls-key text
            receive --tls-cert c1 --tls-key locked
            receive --tls-cert c1 --tls-key k2
            U=https://127.0.0.1:1
            send $U -F a=1 --cert c1
            send $U -F a=1 --cert c1 --key nope
            send $U -F a=1 --cert c1 --key locked
            send $U -F a=1 --cert c1 --key k2
            """)
        #expect(outcome.text == "26\n2\n2\n2\n58\n58\n58\n58\n")
        let encrypted = "the private key is encrypted: decrypt it, as with 'openssl pkey -in KEY -out PLAIN'"
        #expect(
            outcome.errors == """
                formwork: --tls-key nope: can't be read (No such file or directory)
                formwork: --tls-key text: contains no private key in PEM (-----BEGIN PRIVATE KEY-----)
                formwork: --tls-key locked: \(encrypted)
                formwork: --tls-cert, --tls-key: c1 and k2 can't be used together: the key belongs to another \
                certificate, or one of the two is damaged
                formwork: --cert c1: contains no private key in PEM (-----BEGIN PRIVATE KEY-----)
                formwork: --key nope: can't be read (No such file or directory)
                formwork: --key locked: \(encrypted)
                formwork: --cert, --key: the certificate and its private key can't be used: the key belongs to \
                another certificate, or one of the two is damaged

                """)
    }

    @Test("Folders that may not be written")
    func receive() throws {
        let outcome = try self.run(
            """
            mkdir -p closed own/.formwork-resumable; chmod 777 own; chmod 555 closed own/.formwork-resumable; chmod 755 .
            as=; [ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
            timeout -s KILL 60 $as "$F" receive own --resume-dir closed --port 0; echo $?
            timeout -s KILL 60 $as "$F" receive own --port 0; echo $?
            """)
        #expect(outcome.text == "23\n23\n")
        #expect(
            outcome.errors == """
                formwork: closed: can't be written (Permission denied)
                formwork: own/.formwork-resumable: can't be written (Permission denied)

                """)
    }

    @Test("A server whose reader of the address went away later doesn't stop")
    func address() throws {
        let outcome = try self.run(
            """
            mkfifo fifo; "$F" receive --dir in --port 0 > fifo 2> log & P=$!
            head -n 1 < fifo > url; "$F" send "$(cat url)" -F a=b -o answer; echo $?
            kill -TERM $P; wait $P; echo $?
            """)
        #expect(outcome.text == "0\n0\n")
        #expect(outcome.errors == "")
    }

    @Test("An address in brackets, as URLs have it")
    func brackets() throws {
        guard try Command.shell("grep -q 1 /proc/net/if_inet6").status == 0 else { return }
        let outcome = try self.run(
            """
            "$F" receive --dir in --port 0 --host '[::1]' > url 2> log & P=$!
            until [ -s url ] || ! kill -0 $P 2> /dev/null; do sleep 0.05; done
            grep -c '^http://\\[::1\\]:' url; kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "1\n")
    }
}
