# shellcheck shell=bash
# Makes man pages from the --help texts. Scripts source this file in the root of the clone.
#
#   make_manual PROGRAM FOLDER   writes the page of a program and of each of its subcommands: pushsend.1, pushsend-send.1 and so on

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
