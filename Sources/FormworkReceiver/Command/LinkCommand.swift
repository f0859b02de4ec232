import ArgumentParser
import Formwork
import FormworkCommand
import FormworkEssentials
import FormworkValues

/// `formwork link`: a signed URL for uploads.
package struct LinkCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: FormworkVerbs.link,
        usage: "formwork link [options] --to URL",
        discussion: """
            EXAMPLES
              openssl rand -hex 32 > link.key
              formwork receive inbox --public --link-key-file link.key
              formwork link --to http://10.0.0.5:8080 --key-file link.key --expires 2d

            Everyone who has the URL can open its page, or upload with any client, without a token:
              curl -T film.mov 'URL'
              formwork send 'URL' -F film=@film.mov --resume ietf

            The command makes no request. The URL has the limits and their signature. Every receiver with the same key \
            checks them, and the expiry by its own clock. A link can be used several times until it expires, unless it has \
            a limit. A client with a link can't list or change other files. A line with a link's id in the receiver's key \
            file withdraws the link: --json prints the id, and the receiver logs it.
            """)

    @Option(help: ArgumentHelp("The receiver's address: https://up.example.com", valueName: "URL"))
    var to: String

    @Option(time: "How long the link works: seconds, or with a unit, as 90s, 15m, 24h or 7d.")
    var expires = TimeOption(24, "h")

    @Option(
        bytes:
            "The largest upload: a file, or all files of a form together, with 1 MiB for its fields. --limit total=BYTES is for all "
            + "files in the link's folder, --limit uses=NUMBER for its uploads. (default: the receiver's limits)")
    var maxSize: ByteCount?

    @Option(
        parsing: .unconditionalSingleValue, help: .hidden,
        transform: { try FormLimit.read($0, of: ["total", "uses"]) })
    var limit: [FormLimit] = []

    @Option(
        parsing: .unconditional, value: "folder",
        "The folder for the files, such as ann, in the receiver's folder. (default: none)")
    var prefix: String?

    @Option(parsing: .unconditional, value: "text", "The heading of the link's page.")
    var title: String?

    @Option(
        file: "A file with the key, 32 characters or more, in its first line. Without it, FORMWORK_LINK_KEY is used.")
    var keyFile: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    package init() {}

    package func validate() throws {
        try GivenPath.check(["--key-file": self.keyFile])
        let (title, longest) = (self.title ?? "a", SignedLink.longestTitle)
        try ValidationError.check([
            "--expires: give 1s or more": self.expires.duration < .seconds(1),
            "--max-size: give 1 or more": self.maxSize?.bytes ?? 1 < 1,
            "--limit total: give 1 or more": self.count("total") ?? 1 < 1,
            "--limit uses: give 1 to \(LinkUses.most)": !(1...LinkUses.most ~= self.count("uses") ?? 1),
            "--title: the text is empty": title.allSatisfy(\.isWhitespace),
            "--title: give one line of at most \(longest) bytes, without control characters":
                title.utf8.count > longest || title.withControlCharactersEscaped != title,
        ])
    }

    package func run() throws {
        guard let keys = try LinkKeys.read("--key-file", file: self.keyFile) else {
            throw ExitStatus(
                2, "no key: give the receiver's key with --key-file FILE or \(LinkKeys.variable); \(LinkKeys.advice)")
        }
        let now = Int64(clamping: Date.now.timeIntervalSince1970)
        let link = SignedLink(
            expires: now + self.expires.duration.components.seconds, maxSize: self.maxSize?.bytes,
            total: self.count("total"), uses: self.count("uses"), folders: try self.folders(), title: self.title)
        let url = "\(try Self.address(of: self.to))/.link/\(keys.token(for: link))/"
        guard self.json else { return try StandardOutput.write(url + "\n") }
        try JSONOutput.write([
            ("url", .text(url)), ("id", .text(link.id)), ("expires", .text(link.expiry)),
            ("maxSize", link.maxSize.map { .integer(Int128($0)) } ?? .null),
            ("prefix", link.prefix.map { .text($0) } ?? .null), ("title", link.title.map { .text($0) } ?? .null),
            ("total", link.total.map { .integer(Int128($0)) } ?? .null),
            ("uses", link.uses.map { .integer(Int128($0)) } ?? .null),
        ])
    }

    /// A limit that was given.
    private func count(_ name: String) -> Int64? { self.limit.last { $0.name == name }?.count }

    private func folders() throws -> [SafeFilename] {
        guard var prefix else { return [] }
        while prefix.hasSuffix("/") { prefix.removeLast() }
        guard let folders = SignedLink.folders(of: prefix) else {
            throw GivenValue("--prefix", prefix).fails(
                "give folder names with slashes between them, at most 16 names and 400 bytes, that every system can store: "
                    + "inbox/ann")
        }
        return folders
    }

    /// The URL of a receiver, without a slash at its end. It has a path if the receiver has one (`--base-path`).
    private static func address(of text: String) throws -> String {
        let url = try TargetURL.complete(text)
        let given = GivenValue("--to", url: text)
        guard let parts = URL(text: url), parts.origin != nil else {
            throw given.fails("give an address such as https://up.example.com")
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            ReceiveAddress.basePath(parts.path) != nil
        else { throw given.fails("give scheme, host, port and path alone") }
        if text.utf8.authorityStart == nil {
            Messages.warn(
                "\(given.text): without a scheme the link is http://, and everyone who reads the traffic can use it: write "
                    + "https://\(given.text.trimmingPrefix("--to "))")
        }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}

extension LinkKeys {
    /// The variable that has the keys if no file is given.
    static let variable = "FORMWORK_LINK_KEY"

    /// The keys; `nil` if none are given.
    /// - Parameter option: The option that names the file.
    static func read(_ option: String, file: String?) throws -> LinkKeys? {
        try GivenSecret.read(option, file: file, variable: Self.variable) { text throws(SecretFault) in
            try LinkKeys(text)
        }
    }
}
