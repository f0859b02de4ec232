import ArgumentParser
import FormworkClient
import FormworkCommand
import FormworkEssentials

/// The credentials of a request, and where they come from: an option, the URL, a netrc file, or the environment.
struct CredentialOptions: ParsableArguments {
    @Option(
        [.customShort("u"), .long], value: "user[:password]",
        "User and password, or the user, and a prompt for the password.",
        discussion: """
            They are sent with the Basic scheme in the first request, to the first origin only. \
            FORMWORK_USER=user:password or FORMWORK_TOKEN (sent as Bearer) in the environment, and -H @FILE, keep \
            credentials out of the list of processes.
            """)
    var user: String?

    @Flag(
        name: .shortAndLong,
        help: "Use the user and password of the URL's host in ~/.netrc, or in the file of --netrc-file FILE.")
    var netrc = false

    @Option(help: ArgumentHelp(visibility: .hidden))
    var netrcFile: String?

    /// Sets `Authorization`, unless a header or the URL has set it. An option has precedence over the URL, and both over
    /// the environment. A user in the URL without a password has that of netrc.
    /// - Parameter isSigned: Whether the form itself contains its authorization.
    func authorize(_ request: inout HTTPRequest, isSigned: Bool) throws {
        let given = request.headerFields[.authorization]
        guard given == nil || self.user == nil else { return }
        let environment = ProcessInfo.processInfo.environment
        if let credentials = try self.ofNetrc(request, environment, given) {
            request.headerFields[.authorization] = credentials.fieldValue
        } else if given == nil, !isSigned, let value = try EnvironmentCredentials.read()?.fieldValue {
            request.headerFields[.authorization] = value
        }
    }

    /// The value of `Authorization` for `-u`; `nil` without it.
    func option() throws -> String? {
        guard let user else { return nil }
        try ExitStatus.refuse(if: user.isEmpty, "-u: the user is missing: write user:password")
        if let credentials = BasicCredentials(user) { return credentials.fieldValue }
        let password = try PasswordPrompt.ask("Password for \(user.withControlCharactersEscaped): ")
        guard let password else {
            throw ExitStatus(
                2, "-u: the password is missing, and there is no terminal to ask for it: write user:password")
        }
        return BasicCredentials(user: user, password: password).fieldValue
    }

    /// - Parameter given: The field that the request has.
    private func ofNetrc(
        _ request: HTTPRequest, _ environment: [String: String], _ given: String?
    ) throws -> BasicCredentials? {
        guard self.netrc || self.netrcFile != nil else { return nil }
        let home = environment["HOME"] ?? ""
        try ExitStatus.refuse(
            if: self.netrcFile == nil && home.isEmpty, "--netrc: HOME isn't set: name the file with --netrc-file")
        let path = self.netrcFile ?? home + "/.netrc"
        let option = self.netrcFile == nil ? "--netrc" : "--netrc-file"
        let authority = request.authority ?? ""
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return try Netrc(file: path, option: option).credentials(for: String(host), replacing: given)
    }
}
