#if Command
import ArgumentParser

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a script that completes verbs, options, their values and files in a shell.",
        discussion: """
            EXAMPLES
              source <(formwork completion bash)
              formwork completion zsh > "${fpath[1]}/_formwork"
              formwork completion fish > ~/.config/fish/completions/formwork.fish

            scripts/install stores the scripts where the shells look for them.
            """)

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    enum Shell: String, ChoiceOption { case bash, zsh, fish }

    func run() throws { try StandardOutput.write(CompletionScript.text(for: self.shell)) }
}
#endif
