# shellcheck shell=bash
# The lines that a user must add to the files of the shell after an installation.
#
#   say_what_the_shell_needs PREFIX   prints each line and the file for it; prints nothing if the shell needs no line

say_what_the_shell_needs() {
    local prefix=$1 home=${HOME:-}/.local found file completions
    local path_line="export PATH=\"$prefix/bin:\$PATH\""
    # The tilde is for people to read. The folders after it are those below which the shell finds completions by default.
    # shellcheck disable=SC2088
    case "${SHELL:-}" in
        */zsh) set -- "~/.zshrc" /usr /usr/local && completions="fpath=(\"$prefix/share/zsh/site-functions\" \$fpath)    # before compinit" ;;
        */bash) set -- "~/.bashrc" /usr /usr/local "$home" && completions="source \"$prefix/share/bash-completion/completions/pushsend\"" ;;
        */fish)
            set -- "~/.config/fish/config.fish" /usr "$home"
            if [[ :${XDG_DATA_DIRS:-}: == *":$prefix/share:"* ]]; then set -- "$@" "$prefix"; fi
            completions="source \"$prefix/share/fish/vendor_completions.d/pushsend.fish\""
            path_line="fish_add_path \"$prefix/bin\""
            ;;
        # Of another shell, nothing is known about completions.
        *) set -- "~/.profile" "$prefix" ;;
    esac
    file=$1
    shift
    found=$(command -v pushsend) || true
    if [[ :$PATH: != *":$prefix/bin:"* ]]; then
        printf '\n%s is not in your PATH. This line in %s puts it there:\n    %s\n' "$prefix/bin" "$file" "$path_line"
    elif [[ $found != "$prefix/bin/pushsend" ]]; then
        printf '\nYour PATH has another pushsend before it: %s\n' "$found"
    fi
    if [[ " $* " != *" $prefix "* ]]; then
        printf '\nThis line in %s completes what you type after pushsend:\n    %s\n' "$file" "$completions"
    fi
}
