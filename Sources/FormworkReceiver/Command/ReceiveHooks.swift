import ArgumentParser
import FormworkCommand
import FormworkValues
import FormworkEssentials

/// What `receive` asks before uploads, and notifies after them.
struct ReceiveHooks: ParsableArguments {
    static let variable = "FORMWORK_HOOK_SECRET"

    @Option(
        value: "URL",
        "Ask this URL before an upload is accepted, and notify it when the upload was stored or has failed. Messages are "
            + "signed JSON (Standard Webhooks).")
    var hook: String?

    @Option(
        file: "A file with the secret that signs messages: base64 of 24 to 64 bytes, also with whsec_ in front. With "
            + "several, one a line, all sign each message. Without it, FORMWORK_HOOK_SECRET is used.")
    var hookSecretFile: String?

    private static let usualTimeout = TimeOption(10)

    @Option(time: "How long the hook may take to answer. (default: \(Self.usualTimeout.text))")
    var hookTimeout: TimeOption?

    @Option(
        value: "refuse|accept",
        "What happens to an upload if the hook doesn't answer: refuse (503, the default) or accept.")
    var hookFailure: HookFailure?

    func validate() throws {
        try GivenPath.check(["--hook-secret-file": self.hookSecretFile])
        let given: KeyValuePairs = [
            "--hook-secret-file": self.hookSecretFile != nil, "--hook-timeout": self.hookTimeout != nil,
            "--hook-failure": self.hookFailure != nil,
        ]
        for (option, isGiven) in given where isGiven && self.hook == nil {
            throw ValidationError("\(option): has no use without --hook")
        }
        guard (0.1...300).contains((self.hookTimeout ?? Self.usualTimeout).seconds) else {
            throw ValidationError("--hook-timeout: give 0.1 to 300 seconds")
        }
    }

    /// The settings of the hook; `nil` without one.
    func options() throws -> Hooks.Options? {
        guard let hook else { return nil }
        let url = try TargetURL.complete(hook)
        guard let parts = URL(text: url), parts.origin != nil, parts.user == nil, parts.password == nil else {
            throw GivenValue("--hook", url: hook).fails("give an http or https URL, without user and password")
        }
        var options = Hooks.Options(url, try self.secret())
        options.limit = (self.hookTimeout ?? Self.usualTimeout).duration
        options.acceptsWithoutAnswer = self.hookFailure == .accept
        return options
    }

    private func secret() throws -> HookSecret {
        let secret = try GivenSecret.read("--hook-secret-file", file: self.hookSecretFile, variable: Self.variable) {
            text throws(SecretFault) in try HookSecret(text)
        }
        guard let secret else {
            throw ExitStatus(
                2,
                "--hook: messages are signed: give --hook-secret-file FILE or \(Self.variable); make a secret with "
                    + "'openssl rand -base64 32'")
        }
        return secret
    }
}

/// What happens to an upload that the hook wasn't asked about.
enum HookFailure: String, ChoiceOption { case refuse, accept }
