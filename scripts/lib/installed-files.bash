# shellcheck shell=bash
# Putting files into a place from which they can be removed again. A list there names each of them, and with a slash at
# the end each folder that was made for them, all relative to the place. The list names itself too.
#
#   put_in_place TREE PLACE LIST   copies the files of TREE; removes what an earlier run put there and TREE has no more
#   remove_from_place PLACE LIST   removes what the list names, and of its folders those that are empty
#   is_in_place PLACE LIST         is there a list?

# A subshell, for its trap.
put_in_place() (
    tree=$1 place=$2 list=$3
    lists=$(mktemp -d "${TMPDIR:-/tmp}/installed-files.XXXXXX")
    trap 'rm -rf "$lists"' EXIT
    mkdir -p "$tree/$(dirname "$list")"
    : >"$tree/$list"
    (cd "$tree" && find . -type d | sed 's|$|/|; s|^\./\(.\)|\1|' | LC_ALL=C sort) >"$lists/folders"
    (cd "$tree" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$lists/files"
    while IFS= read -r name; do require_no_folder "$place/$name"; done <"$lists/files"
    listed_names "$place/$list" >"$lists/before"
    {
        missing_names "$place" <"$lists/folders"
        grep '/$' "$lists/before" || true
    } >"$lists/made"
    while IFS= read -r name; do mkdir -p "$place/$name"; done <"$lists/folders"
    # What an interrupted run leaves behind is in the list as well.
    LC_ALL=C sort -u "$lists/made" "$lists/files" "$lists/before" >"$place/$list"
    while IFS= read -r name; do
        if [[ $name != "$list" ]]; then put_file "$tree/$name" "$place/$name"; fi
    done <"$lists/files"
    while IFS= read -r name; do
        rm -f "$place/$name"
    done < <(grep -v '/$' "$lists/before" | grep -vxFf "$lists/files")
    LC_ALL=C sort -u "$lists/made" "$lists/files" >"$tree/$list"
    put_file "$tree/$list" "$place/$list"
)

require_no_folder() {
    if [[ ! -d $1 ]]; then return; fi
    echo "error: $1 is a folder, and a file is to be there."
    return 1
}

# Beside the old file first and then in its place: a pushsend that runs keeps its own.
put_file() {
    local mode=644
    if [[ -x $1 ]]; then mode=755; fi
    install -m "$mode" "$1" "$2.new"
    mv -f "$2.new" "$2"
    echo "$2"
}

remove_from_place() {
    local place=$1 list=$2 names name
    names=$(listed_names "$place/$list")
    while IFS= read -r name; do
        if [[ $name != */ && $name != "$list" ]]; then rm -f "$place/$name"; fi
    done <<<"$names"
    rm -f "$place/$list"
    # The deepest first.
    while IFS= read -r name; do
        if [[ $name == */ ]]; then rmdir "$place/${name#./}" 2>/dev/null || true; fi
    done < <(LC_ALL=C sort -r <<<"$names")
}

is_in_place() {
    [[ -f $1/$2 ]]
}

# Nothing in a list may lead out of the place.
listed_names() {
    if [[ -f $1 ]]; then grep -vE '^/|(^|/)\.\.(/|$)|^$' "$1" || true; fi
}

missing_names() {
    local name
    while IFS= read -r name; do
        if [[ ! -e $1/$name ]]; then echo "$name"; fi
    done
}
