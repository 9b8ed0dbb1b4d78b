/// The completion scripts for bash and zsh. The scripts of argument-parser do not complete a value that is joined to
/// its option, such as `--key=keys/Auth`. This adds it.
enum CompletionScript {
    /// Corrects a script. Any other text is returned unchanged. The script for fish is too, because fish supports this
    /// form.
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

    /// In bash, `--key=keys/Auth` is three words. The middle word is removed, and the rest is read as `--key
    /// keys/Auth`.
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

    /// `--key[...]:p8:_files` accepts a value only in the next word; `--key=[...]:p8:_files` also accepts it after an
    /// equals sign.
    private static func zshSpecification(_ line: Substring) -> String {
        // A flag has no "]:" after its description. In the description both characters are escaped.
        guard line.hasPrefix("        '"), line.contains("--"), line.contains("]:"),
            let description = line.firstIndex(of: "[")
        else { return String(line) }
        let names = line[..<description]
        let name = names.hasSuffix("}'") ? names.dropLast(2) : names
        return "\(name)=\(line[name.endIndex...])"
    }
}
