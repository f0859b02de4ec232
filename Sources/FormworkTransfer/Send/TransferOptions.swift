import ArgumentParser
import FormworkCommand

/// What most transfers need.
struct TransferOptions: ParsableArguments {
    @Option(.shortAndLong, file: "Write the answer's body to this file.")
    var output: String?

    @Flag(
        help: ArgumentHelp(
            "Print one JSON object: the answer, and what was sent.",
            discussion: "It has at most 1 MiB of the answer's body; -o writes all of it."))
    var json = false

    @Option([.customShort("m"), .long], time: "Give up after this time, such as 90s or 15m.")
    var maxTime: TimeOption?

    @Option(parsing: .unconditional, value: "n", "Retry so often after failures that may pass.")
    var retry: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most bytes a second: 500k, 2M.", valueName: "rate"), transform: ByteCount.readSigned)
    var limitRate: ByteCount?

    @Option([.customShort("X"), .customLong("request")], value: "method", "The method, if not POST, or PUT with -T.")
    var method: String?

    @Flag(name: [.long, .customLong("offline")], help: "Show the request, and send nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Write the heads of all messages, with secrets masked.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Write only errors to standard error.")
    var quiet = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto
}

/// When a request is sent again.
struct RepeatOptions: ParsableArguments {
    @Option(
        time:
            "Wait this long before each retry. Default: up to 1 second, doubled each time; with --resume 0, then 1, 2, 4, "
            + "8, 16 and 30 seconds. A server's Retry-After has precedence, up to an hour.",
        discussion:
            "Without --retry nothing is retried; with --resume there are 7 retries without progress before it is given up."
    )
    var retryDelay: TimeOption?

    @Flag(
        help:
            "Retry after any failure, including answers of 400 and more. After 2xx nothing is retried, even if the answer is cut or comes before the body's end: the server may have the upload."
    )
    var retryAllErrors = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most redirects to follow. With 0 the redirect is the answer.",
            discussion: """
                307 and 308 repeat the request. After 301 and 302, POST is repeated as GET without a body; after 303, every \
                method but HEAD is. A body that can be read only once is never sent again.
                """, valueName: "n"))
    var maxRedirs: Int = 20

    @Flag(
        help: """
            Send credentials and cookies to every host that a redirect or a resumable upload leads to, instead of only \
            to the first.
            """)
    var locationTrusted = false
}

/// What is written of an answer.
struct ResponseOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Write the answer's header fields before its body.")
    var include = false

    @Option(
        [.customShort("w"), .long], parsing: .unconditional, value: "format",
        "Write this text, or @FILE, after the answer, with curl's variables, such as %{http_code} or %header{etag}.",
        discussion: "%{json} is the object of --json. The page 'Sending from a shell' lists all variables.",
        completion: FileWord.completion)
    var writeOut: String?

    @Flag var failure: FailureOption = .failWithBody
}
