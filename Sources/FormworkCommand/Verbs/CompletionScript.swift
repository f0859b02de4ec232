#if Command
import ArgumentParser
import Synchronization

/// ArgumentParser's script, with what it doesn't know: the files of `-F name=@file` and of `-d @file`, the verbs of
/// `help`, and for bash `--option=value`.
enum CompletionScript {
    private static let root = Mutex<(any ParsableCommand.Type)?>(nil)

    /// Stores the command that is completed.
    static func use(_ root: any ParsableCommand.Type) { self.root.withLock { $0 = root } }

    static func text(for shell: CompletionCommand.Shell) -> String {
        guard let root = self.root.withLock({ $0 }) else { return "" }
        let verbs = Verbs(root)
        switch shell {
        case .bash: return self.bash(root.completionScript(for: .bash), verbs)
        case .zsh: return self.zsh(root.completionScript(for: .zsh), verbs)
        case .fish: return self.fish(root.completionScript(for: .fish), verbs)
        }
    }

    /// The names of the verbs, and of the verbs that belong to one of them.
    private struct Verbs {
        var names: [String]
        var nested: [(name: String, verbs: [String])]

        init(_ root: any ParsableCommand.Type) {
            func names(of command: any ParsableCommand.Type) -> [String] {
                command.configuration.subcommands.compactMap { $0.configuration.commandName }
            }
            self.names = names(of: root)
            self.nested = root.configuration.subcommands.filter { !$0.configuration.subcommands.isEmpty }
                .map { ($0.configuration.commandName ?? "", names(of: $0)) }
        }

        /// A case of the shell's `case` for each verb that has verbs, and one for all others.
        /// - Parameter offer: The shell's command that offers names.
        func cases(_ offer: ([String]) -> String) -> String {
            (self.nested.map { "    \($0.name)) \(offer($0.verbs)) ;;" } + ["    help) \(offer(self.names)) ;;"])
                .joined(separator: "\n")
        }
    }

    private static func bash(_ script: String, _ verbs: Verbs) -> String {
        let prev = "    local -r prev=\"${3}\"\n"
        let cases = verbs.cases { "__formwork_add_completions -W $'\($0.joined(separator: "\\n"))'" }
        return script.replacing(
            prev,
            with: """
                    local prev="${3}"
                    # bash makes the '=' of --option=value a word of its own.
                    [[ "${prev}" != '=' || "${COMP_CWORD}" -lt 2 ]] || prev="${COMP_WORDS[COMP_CWORD - 2]}"
                    local -r prev

                """
        ).replacing(
            "_formwork() {\n",
            with: self.bashFiles + "_formwork() {\n    COMPREPLY=()\n    __formwork_part_file && return\n"
        ).replacing(
            "\n_formwork_help() {\n", with: "\n_formwork_help() {\n    case \"${prev}\" in\n\(cases)\n    esac\n")
    }

    /// The file of a part is a word of its own for bash, which breaks words at '=' and '@'.
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


        """#

    private static func zsh(_ script: String, _ verbs: Verbs) -> String {
        let cases = verbs.cases { "compadd \($0.joined(separator: " ")) && return 0" }
        // An option's value may follow '=', too.
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let spec = line.drop { $0 == " " }
            guard spec.hasPrefix("'--") || spec.hasPrefix("'*--"), line.contains("]:"),
                let text = line.firstIndex(of: "[")
            else { return String(line) }
            return line[..<text] + "=" + line[text...]
        }
        var script = lines.joined(separator: "\n").replacing(
            ":name=content:_files", with: ":name=content:__formwork_part")
        // The arguments that may be @FILE.
        for name in ["name\\: value", "data", "json", "format"] {
            script = script.replacing(":\(name):'", with: ":\(name):__formwork_at_file'")
        }
        return script.replacing(
            "\n_formwork() {\n",
            with: """

                __formwork_part() {
                    if compset -P '*=[@<]'; then _files; else _message 'name=value or name=@file'; fi
                }

                __formwork_at_file() {
                    if compset -P '[^=@]#@'; then _files; else _message 'text or @file'; fi
                }

                _formwork() {

                """
        ).replacing(
            "\n_formwork_help() {\n",
            with: "\n_formwork_help() {\n    case \"${words[CURRENT - 1]}\" in\n\(cases)\n    esac\n")
    }

    private static func fish(_ script: String, _ verbs: Verbs) -> String {
        let names = verbs.names.joined(separator: " ")
        let nested = verbs.nested.map { verb in
            "complete -c formwork -n '__fish_seen_subcommand_from help; and __fish_seen_subcommand_from \(verb.name)' "
                + "-fa '\(verb.verbs.joined(separator: " "))'\n"
        }
        return script + #"""

            function __formwork_file -a pattern
                set -l typed (commandline -ct)
                set -l head (string match -r -- $pattern $typed)
                test -n "$head"; or return
                for file in (__fish_complete_path (string unescape -- (string replace -- $head '' $typed)))
                    echo $head$file
                end
            end
            complete -c formwork -n '__fish_seen_subcommand_from body headers send curl plan' -s F -l form -xa '(__formwork_file "^[^=]*=[@<]")'
            complete -c formwork -n '__fish_seen_subcommand_from body headers send curl plan' -s H -l header -xa '(__formwork_file "^@")'
            complete -c formwork -n '__fish_seen_subcommand_from send' -s d -l data -xa '(__formwork_file "^@")'
            complete -c formwork -n '__fish_seen_subcommand_from send' -l data-binary -xa '(__formwork_file "^@")'
            complete -c formwork -n '__fish_seen_subcommand_from send' -l data-json -xa '(__formwork_file "^@")'
            complete -c formwork -n '__fish_seen_subcommand_from send' -l data-urlencode -xa '(__formwork_file "^[^=@]*@")'
            complete -c formwork -n '__fish_seen_subcommand_from send' -s w -l write-out -xa '(__formwork_file "^@")'

            """#
            + "complete -c formwork -n '__fish_seen_subcommand_from help; and not __fish_seen_subcommand_from \(names)' "
            + "-fa '\(names)'\n" + nested.joined()
    }
}
#endif
