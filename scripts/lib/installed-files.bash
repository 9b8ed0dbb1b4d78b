# shellcheck shell=bash
# Installs files into a folder, the place, and removes them again. A list in the place contains the path of each file and of each
# folder that was made for the files. The paths are relative to the place. Folders end with a slash. The list also contains itself.
#
#   put_in_place TREE PLACE LIST   copies the files of TREE; removes files of an earlier run that are not in TREE
#   remove_from_place PLACE LIST   removes the files of the list, and its folders if they are empty
#   is_in_place PLACE LIST         succeeds if there is a list

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
    # The list is written before the files, so that it also contains the files of an interrupted run.
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
    echo "error: $1 is a folder, and the installation needs a file there."
    return 1
}

# Writes a new file and then renames it, so that a running pushsend keeps its old file.
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
    # The deepest folders come first.
    while IFS= read -r name; do
        if [[ $name == */ ]]; then rmdir "$place/${name#./}" 2>/dev/null || true; fi
    done < <(LC_ALL=C sort -r <<<"$names")
}

is_in_place() {
    [[ -f $1/$2 ]]
}

# The names in the list, without those that lead out of the place.
listed_names() {
    if [[ -f $1 ]]; then grep -vE '^/|(^|/)\.\.(/|$)|^$' "$1" || true; fi
}

missing_names() {
    local name
    while IFS= read -r name; do
        if [[ ! -e $1/$name ]]; then echo "$name"; fi
    done
}
