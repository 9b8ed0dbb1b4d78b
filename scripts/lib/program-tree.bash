# shellcheck shell=bash
# The files of an installed pushsend. Sourced in the root of the clone, by scripts/install and scripts/package.
#
#   make_program_tree PROGRAM FOLDER [ZSH]   writes bin/pushsend, its completions and its man pages below FOLDER; ZSH is the folder
#                                            of zsh's completions below share/zsh, site-functions by default

# shellcheck source-path=SCRIPTDIR source=manual.bash
source scripts/lib/manual.bash

make_program_tree() {
    local program=$1 folder=$2 zsh=${3:-site-functions}
    mkdir -p "$folder/bin"
    cp "$program" "$folder/bin/pushsend"
    make_completions "$folder/bin/pushsend" "$folder/share" "$zsh"
    make_manual "$folder/bin/pushsend" "$folder/share/man/man1"
}

make_completions() {
    local program=$1 share=$2 zsh=$3
    mkdir -p "$share/bash-completion/completions" "$share/zsh/$zsh" "$share/fish/vendor_completions.d"
    "$program" --generate-completion-script bash >"$share/bash-completion/completions/pushsend"
    "$program" --generate-completion-script zsh >"$share/zsh/$zsh/_pushsend"
    "$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/pushsend.fish"
}
