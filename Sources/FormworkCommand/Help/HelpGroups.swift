#if Command
/// The groups of options that have no title where they are declared.
enum HelpGroups {
    static let other = "Other options"

    private static let titles: KeyValuePairs<String, Set<String>> = [
        "Request": [
            "--request", "--user", "--netrc", "--netrc-file", "--presigned", "--upload-file", "--url-query", "--data",
            "--data-urlencode", "--data-json", "--user-agent", "--cookie", "--referer",
        ],
        "Answer": [
            "--fail-with-body", "--fail", "--no-fail", "--output", "--include", "--json", "--write-out",
        ],
        "Retries and time": [
            "--retry", "--retry-delay", "--retry-max-delay", "--retry-all-errors", "--max-redirs", "--max-time",
            "--limit-rate",
        ],
        "Progress and messages": [
            "--progress", "--progress-interval", "--quiet", "--verbose", "--silent", "--show-error", "--dry-run",
        ],
        "Service": ["--digest", "--log", "--log-level", "--metrics", "--grace", "--drain-delay"],
    ]

    /// The group of an option; other verbs than `send` and `receive` have too few for groups.
    static func title(of option: String, in verb: String) -> String {
        guard ["send", "receive"].contains(verb) else { return Self.other }
        return self.titles.first { $0.value.contains(option) }?.key ?? Self.other
    }

    /// The order of groups on a page: declared ones keep their order after the form.
    static func rank(_ title: String) -> Int {
        let first = ["Form", "Request", "Answer", "Retries and time", "Progress and messages"]
        return first.firstIndex(of: title) ?? (title == self.other ? first.count + 1 : first.count)
    }
}
#endif
