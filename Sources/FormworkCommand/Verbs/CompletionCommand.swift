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

    func script(of root: any ParsableCommand.Type) -> String {
        let script = CompletionShell(rawValue: self.shell.rawValue).map { root.completionScript(for: $0) + "\n" } ?? ""
        let names = root.configuration.subcommands.compactMap { $0.configuration.commandName } + HelpTopic.names
        let words = names.joined(separator: self.shell == .bash ? "\n" : " ")
        // ArgumentParser's scripts offer nothing after 'help'.
        switch self.shell {
        case .bash:
            return script.replacing("_help() {\n    :", with: "_help() {\n    __formwork_add_completions -W '\(words)'")
                + Self.bashFiles
        case .zsh:
            return script.replacing("'*:subcommands:'", with: "':subcommands:(\(words))'")
        case .fish:
            let place = #"__formwork_should_offer_completions_for_positional "formwork help" -eq 1"#
            return script + "complete -c formwork -n '\(place)' -fka '\(words)'\n"
        }
    }

    /// Completes the file in `name=@file`. The other shells have ``FileWord`` for that, but bash breaks words at '=' and '@'.
    private static let bashFiles = #"""
        # Sets ${typed} to the current word, as it was typed.
        __formwork_typed_word() {
            local line="${COMP_LINE:0:${COMP_POINT}}" quote="" char
            local -i index
            typed=""
            for ((index = 0; index < ${#line}; index++)); do
                char="${line:index:1}"
                if [[ "${char}" == \\ && "${quote}" != "'" ]]; then
                    typed+="${line:index:2}"
                    index+=1
                elif [[ -n "${quote}" ]]; then
                    typed+="${char}"
                    [[ "${char}" != "${quote}" ]] || quote=""
                elif [[ "${char}" == [[:space:]] ]]; then
                    typed=""
                else
                    typed+="${char}"
                    [[ "${char}" != [\"\'] ]] || quote="${char}"
                fi
            done
        }

        __formwork_part_file() {
            local typed
            __formwork_typed_word
            [[ "${typed}" =~ ^[\"\']?([^=]*=[@\<]|@)(.*)$ ]] || return 1
            local path="${BASH_REMATCH[2]}" isQuoted=""
            # What readline replaces begins after a word break, but with '@'. Quotes hide the breaks.
            local kept="${typed%"${path}"}"
            case "${kept}" in
            [\"\']*) kept="${kept:1}" isQuoted=1 ;;
            *'<') [[ "${COMP_WORDBREAKS}" == *'<'* ]] && kept="" ;;
            *) [[ "${COMP_WORDBREAKS}" == *=* ]] && kept="@" ;;
            esac
            [ -n "${isQuoted}" ] || path="${path//\\/}"
            local file
            while IFS='' read -r file; do
                [ ! -d "${file/#\~/${HOME}}" ] || file+=/
                [ -n "${isQuoted}" ] || printf -v file %q "${file}"
                [[ "${file}" != '\~'* ]] || file="${file:1}"
                COMPREPLY+=("${kept}${file}")
            done < <(compgen -f -- "${path}")
            # As a file's name the word would get a backslash before its '@', and "@folder" no slash.
            compopt +o filenames 2>/dev/null
            [[ ${#COMPREPLY[@]} -ne 1 || "${COMPREPLY[0]}" != */ ]] || compopt -o nospace 2>/dev/null
            return 0
        }

        _formwork_or_file() {
            COMPREPLY=()
            __formwork_part_file || _formwork "$@"
        }

        complete -o bashdefault -o default -o filenames -F _formwork_or_file formwork

        """#
}
