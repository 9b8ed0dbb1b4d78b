# shellcheck shell=bash
# The files of an installed program. Sourced in the root of the clone, by scripts/install and scripts/package.
#
#   make_program_tree PROGRAM FOLDER [ZSH]   writes bin/pushsend (or bin/pushserve), its completions and its man pages below FOLDER;
#                                            ZSH is the folder of zsh's completions below share/zsh, site-functions by default
#   make_manual PROGRAM FOLDER               writes the man page of a program, made of --help, and of each of its subcommands:
#                                            pushsend.1, pushsend-send.1 and so on

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

make_manual() {
    mkdir -p "$2"
    make_page "$1" "$2"
}

# make_page PROGRAM FOLDER [SUBCOMMAND...]: the page of a command, and the pages of its subcommands
make_page() {
    local program=$1 folder=$2 root_name help below name others=""
    root_name=$(basename "$1")
    shift 2
    help=$("$program" "$@" --help)
    below=$(sed -n '/^SUBCOMMANDS:$/,$s/^  \([a-z][a-z]*\)\( (default)\)\{0,1\}  .*/\1/p' <<<"$help" | LC_ALL=C sort)
    if [[ $# -gt 0 ]]; then others="$root_name(1)"; fi
    for name in $below; do others+="${others:+, }$(page_name "$root_name" "$@" "$name")(1)"; done
    scripts/lib/man-page "$root_name${*:+ $*}" "$others" <<<"$help" >"$folder/$(page_name "$root_name" "$@").1"
    for name in $below; do make_page "$program" "$folder" "$@" "$name"; done
}

# page_name PROGRAM [SUBCOMMAND...] -> the name by which `man pushsend send` finds the page
page_name() {
    local IFS=-
    echo "$*"
}
