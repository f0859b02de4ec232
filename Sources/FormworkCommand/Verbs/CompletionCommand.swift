#if Command
import ArgumentParser
import Synchronization

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

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    func run() throws { try StandardOutput.write(CompletionScript.text(for: self.shell)) }
}

/// ArgumentParser's script, with the files of `-F name=@file` and the verbs of `help`.
enum CompletionScript {
    private static let root = Mutex<(any ParsableCommand.Type)?>(nil)

    /// Stores the command that is completed.
    static func use(_ root: any ParsableCommand.Type) { self.root.withLock { $0 = root } }

    static func text(for shell: CompletionCommand.Shell) -> String {
        guard let root = self.root.withLock({ $0 }) else { return "" }
        let verbs = root.configuration.subcommands.compactMap { $0.configuration.commandName }
            .joined(separator: " ")
        switch shell {
        case .bash: return self.bash(root.completionScript(for: .bash), verbs)
        case .zsh: return self.zsh(root.completionScript(for: .zsh), verbs)
        case .fish: return self.fish(root.completionScript(for: .fish), verbs)
        }
    }

    /// The file of a part is a word of its own for bash, which breaks words at '=' and '@'.
    private static func bash(_ script: String, _ verbs: String) -> String {
        let start = "_formwork() {\n"
        let end = "\n_formwork_help() {\n"
        return script.replacing(
            start,
            with: """
                __formwork_part_file() {
                    local typed="${COMP_LINE:0:${COMP_POINT}}"
                    typed="${typed##*[[:space:]]}"
                    [[ "${typed}" =~ ^[\\"\\']?([^=]*=[@\\<]|@)(.*)$ ]] || return 1
                    local path="${BASH_REMATCH[2]}" isQuoted=""
                    # What readline replaces begins after a word break, but with '@'. Quotes hide the breaks.
                    local kept="${typed%"${path}"}"
                    case "${kept}" in
                    [\\"\\']*) kept="${kept:1}" isQuoted=1 ;;
                    *'<') [[ "${COMP_WORDBREAKS}" == *'<'* ]] && kept="" ;;
                    *) [[ "${COMP_WORDBREAKS}" == *=* ]] && kept="@" ;;
                    esac
                    [ -n "${isQuoted}" ] || path="${path//\\\\/}"
                    local file
                    while IFS='' read -r file; do
                        [ ! -d "${file/#\\~/${HOME}}" ] || file+=/
                        [ -n "${isQuoted}" ] || printf -v file %q "${file}"
                        [[ "${file}" != '\\~'* ]] || file="${file:1}"
                        COMPREPLY+=("${kept}${file}")
                    done < <(compgen -f -- "${path}")
                    # As a file's name the word would get a backslash before its '@', and "@folder" no slash.
                    compopt +o filenames 2>/dev/null
                    [[ ${#COMPREPLY[@]} -ne 1 || "${COMPREPLY[0]}" != */ ]] || compopt -o nospace 2>/dev/null
                    return 0
                }

                _formwork() {
                    COMPREPLY=()
                    __formwork_part_file && return

                """
        ).replacing(
            end,
            with: "\n_formwork_help() {\n    __formwork_add_completions -W $'\(verbs.replacing(" ", with: "\\n"))'\n")
    }

    private static func zsh(_ script: String, _ verbs: String) -> String {
        script.replacing(":name=content:_files", with: ":name=content:__formwork_part").replacing(
            "\n_formwork() {\n",
            with: """

                __formwork_part() {
                    if compset -P '*=[@<]'; then _files; else _message 'name=value or name=@file'; fi
                }

                _formwork() {

                """
        ).replacing(
            "\n_formwork_help() {\n",
            with: "\n_formwork_help() {\n    compadd \(verbs) && return 0\n")
    }

    private static func fish(_ script: String, _ verbs: String) -> String {
        script + """

            function __formwork_part
                set -l typed (commandline -ct)
                set -l head (string match -r -- '^[^=]*=[@<]' $typed)
                test -n "$head"; or return
                for file in (__fish_complete_path (string replace -- $head '' $typed))
                    echo $head$file
                end
            end
            complete -c formwork -n '__fish_seen_subcommand_from body headers send curl plan' -s F -l form -xa '(__formwork_part)'
            complete -c formwork -n '__fish_seen_subcommand_from help' -fa '\(verbs)'

            """
    }
}
#endif
