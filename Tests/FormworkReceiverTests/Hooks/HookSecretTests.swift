import Testing

@testable import FormworkReceiver

@Suite(.timeLimit(.minutes(10))) struct HookSecretTests {
    @Test func `A signature is what OpenSSL computes for the Standard Webhooks specification`() throws {
        // printf '%s' 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}' | openssl dgst -sha256 -mac HMAC
        //   -macopt hexkey:$(echo MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw | base64 -d | xxd -p) -binary | base64
        let body = Array(#"{"test": 2432232314}"#.utf8)
        for text in ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"] {
            #expect(
                try HookSecret(text).signature(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: 1_614_265_330, body: body)
                    == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        }
    }

    @Test func `Two secrets sign together`() throws {
        let both = try HookSecret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        let words = both.signature(id: "a", time: 1, body: []).split(separator: " ")
        #expect(words.count == 2 && words.allSatisfy { $0.hasPrefix("v1,") && $0.hasSuffix("=") })
    }

    @Test(arguments: [
        "", "short", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!", "AAAA", String(repeating: "A", count: 88),
    ])
    func `A secret is base64 of 24 to 64 bytes`(text: String) {
        #expect(throws: SecretFault.self) { try HookSecret(text) }
    }
}
