/// The scripts that let bash and zsh complete a command line, with what argument-parser's scripts lack: they do not complete
/// a value that is joined to its option, `--key=keys/Auth`.
enum CompletionScript {
    /// Mends a script; any other text stays as it is, and so does fish's, which knows that form by itself.
    static func mended(_ text: String) -> String {
        if text.hasPrefix("#!/bin/bash") { return text.replacing(bashWords, with: bashJoinedWords) }
        if text.hasPrefix("#compdef") {
            return text.split(separator: "\n", omittingEmptySubsequences: false).map(zshSpecification)
                .joined(separator: "\n")
        }
        return text
    }

    // MARK: bash

    private static let bashWords = """
            local -r cur="${2}"
            local -r prev="${3}"

        """

    /// For bash `--key=keys/Auth` is three words. The one between is taken out, and the rest is read as `--key keys/Auth`.
    private static let bashJoinedWords = """
            local -a joined_words=()
            local -i joined_place joined_cword="${COMP_CWORD}"
            local joined_last=''
            for joined_place in "${!COMP_WORDS[@]}"; do
                if [[ "${COMP_WORDS[${joined_place}]}" = '=' && "${joined_last}" = --* ]]; then
                    if [[ "${joined_place}" -eq "${COMP_CWORD}" ]]; then
                        joined_words+=('')
                    elif [[ "${joined_place}" -lt "${COMP_CWORD}" ]]; then
                        joined_cword="$((joined_cword - 1))"
                    fi
                else
                    joined_words+=("${COMP_WORDS[${joined_place}]}")
                fi
                joined_last="${COMP_WORDS[${joined_place}]}"
            done
            local -a COMP_WORDS=("${joined_words[@]}")
            local -i COMP_CWORD="${joined_cword}"
            local cur="${2}"
            if [[ "${cur}" = '=' ]]; then cur=''; fi
            local -r cur
            local -r prev="${COMP_WORDS[$((COMP_CWORD - 1))]}"

        """

    // MARK: zsh

    /// `--key[...]:p8:_files` takes its value in the next word only, `--key=[...]:p8:_files` behind an equals sign too.
    private static func zshSpecification(_ line: Substring) -> String {
        // A flag has no "]:" behind its description; inside of one both characters are escaped.
        guard line.hasPrefix("        '"), line.contains("--"), line.contains("]:"),
            let description = line.firstIndex(of: "[")
        else { return String(line) }
        let names = line[..<description]
        let name = names.hasSuffix("}'") ? names.dropLast(2) : names
        return "\(name)=\(line[name.endIndex...])"
    }
}
