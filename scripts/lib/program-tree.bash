# shellcheck shell=bash
# The files of an installed program. Sourced in the root of the clone, by scripts/install and scripts/package.
#
#   make_program_tree PROGRAM FOLDER [ZSH]   writes bin/pushsend (or bin/pushserve), its completions and its man pages below FOLDER;
#                                            ZSH is the folder of zsh's completions below share/zsh, site-functions by default

# shellcheck source-path=SCRIPTDIR source=manual.bash
source scripts/lib/manual.bash

make_program_tree() {
    local name folder=$2 zsh=${3:-site-functions}
    name=$(basename "$1")
    mkdir -p "$folder/bin"
    cp "$1" "$folder/bin/$name"
    make_completions "$folder/bin/$name" "$folder/share" "$zsh"
    make_manual "$folder/bin/$name" "$folder/share/man/man1"
}

make_completions() {
    local program=$1 share=$2 zsh=$3 name
    name=$(basename "$program")
    mkdir -p "$share/bash-completion/completions" "$share/zsh/$zsh" "$share/fish/vendor_completions.d"
    "$program" --generate-completion-script bash >"$share/bash-completion/completions/$name"
    "$program" --generate-completion-script zsh >"$share/zsh/$zsh/_$name"
    "$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/$name.fish"
}
