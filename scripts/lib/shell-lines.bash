# shellcheck shell=bash
# The lines that a user must add to the files of the shell after an installation.
#
#   say_what_the_shell_needs PREFIX   prints each line and the file for it; prints nothing if the shell needs no line

say_what_the_shell_needs() {
    local prefix=$1 found
    found=$(command -v pushsend) || true
    if [[ :$PATH: != *":$prefix/bin:"* ]]; then
        printf '\n%s is not in your PATH. This line in %s puts it there:\n' "$prefix/bin" "$(start_file)"
        printf '    %s\n' "$(path_line "$prefix")"
    elif [[ $found != "$prefix/bin/pushsend" ]]; then
        printf '\nYour PATH has another pushsend before it: %s\n' "$found"
    fi
    if ! shell_finds_completions "$prefix"; then
        printf '\nThis line in %s completes what you type after pushsend:\n' "$(start_file)"
        printf '    %s\n' "$(completion_line "$prefix")"
    fi
}

# Succeeds if the shell finds completions below this prefix by default.
shell_finds_completions() {
    local prefix=$1
    case "${SHELL:-}:$prefix" in
        */zsh:/usr | */zsh:/usr/local) ;;
        */bash:/usr | */bash:/usr/local | */bash:"${HOME:-}/.local") ;;
        */fish:/usr | */fish:"${HOME:-}/.local") ;;
        */fish:*) [[ :${XDG_DATA_DIRS:-}: == *":$prefix/share:"* ]] ;;
        */zsh:* | */bash:*) false ;;
    esac
}

completion_line() {
    local prefix=$1
    case "${SHELL:-}" in
        */zsh) echo "fpath=(\"$prefix/share/zsh/site-functions\" \$fpath)    # before compinit" ;;
        */bash) echo "source \"$prefix/share/bash-completion/completions/pushsend\"" ;;
        */fish) echo "source \"$prefix/share/fish/vendor_completions.d/pushsend.fish\"" ;;
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
