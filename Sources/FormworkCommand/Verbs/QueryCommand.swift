#if Command
import ArgumentParser

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Convert parameters to a query string or url-encoded form and back, as other systems do.",
        discussion: """
            EXAMPLES
              echo '{"q":"a b","tags":["x","y"]}' | formwork query encode --dialect rails
              echo '{"page":2}' | formwork query encode --into 'https://example.com/list?all=1#top'
              echo 'a=1&a=2' | formwork query decode --pairs
            """,
        subcommands: [QueryEncodeCommand.self, QueryDecodeCommand.self]
    )
}
#endif
