# shellcheck shell=bash
# The lines that a user must add to the files of the shell after an installation.
#
#   say_what_the_shell_needs PREFIX   prints each line and the file for it; prints nothing if the shell needs no line

say_what_the_shell_needs() {
    local place=$1 found
    found=$(command -v pushsend) || true
    if [[ :$PATH: != *":$place/bin:"* ]]; then
        printf '\n%s is not in your PATH. This line in %s puts it there:\n' "$place/bin" "$(start_file)"
        printf '    %s\n' "$(path_line "$place")"
    elif [[ $found != "$place/bin/pushsend" ]]; then
        printf '\nYour PATH has another pushsend before it: %s\n' "$found"
    fi
    if ! shell_finds_completions "$place"; then
        printf '\nThis line in %s completes what you type after pushsend:\n' "$(start_file)"
        printf '    %s\n' "$(completion_line "$place")"
    fi
}

# Succeeds if the shell finds completions in this place by default.
shell_finds_completions() {
    local place=$1
    case "${SHELL:-}:$place" in
        */zsh:/usr | */zsh:/usr/local) ;;
        */bash:/usr | */bash:/usr/local | */bash:"${HOME:-}/.local") ;;
        */fish:/usr | */fish:"${HOME:-}/.local") ;;
        */fish:*) [[ :${XDG_DATA_DIRS:-}: == *":$place/share:"* ]] ;;
        */zsh:* | */bash:*) false ;;
    esac
}

completion_line() {
    local place=$1
    case "${SHELL:-}" in
        */zsh) echo "fpath=(\"$place/share/zsh/site-functions\" \$fpath)    # before compinit" ;;
        */bash) echo "source \"$place/share/bash-completion/completions/pushsend\"" ;;
        */fish) echo "source \"$place/share/fish/vendor_completions.d/pushsend.fish\"" ;;
    esac
}

# The tilde is for people to read. The shell must not expand it.
# shellcheck disable=SC2088
start_file() {
    case "${SHELL:-}" in
        */zsh) echo "~/.zshrc" ;;
        */fish) echo "~/.config/fish/config.fish" ;;
        */bash) echo "~/.bashrc" ;;
        *) echo "~/.profile" ;;
    esac
}

path_line() {
    if [[ ${SHELL:-} == */fish ]]; then
        echo "fish_add_path \"$1/bin\""
    else
        echo "export PATH=\"$1/bin:\$PATH\""
    fi
}
