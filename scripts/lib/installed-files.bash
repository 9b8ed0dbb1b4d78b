# shellcheck shell=bash
# Installs files into a folder, the target, and removes them again. A list in the target contains the path of each file and of each
# folder that was made for the files. The paths are relative to the target. Folders end with a slash. The list also contains itself.
#
#   install_files TREE TARGET LIST     copies the files of TREE; removes files of an earlier run that are not in TREE
#   remove_files TARGET LIST           removes the files of the list, and its folders if they are empty
#   has_installed_files TARGET LIST    succeeds if there is a list

# A subshell, for its trap.
install_files() (
    tree=$1 target=$2 list=$3
    lists=$(mktemp -d "${TMPDIR:-/tmp}/installed-files.XXXXXX")
    trap 'rm -rf "$lists"' EXIT
    mkdir -p "$tree/$(dirname "$list")"
    : >"$tree/$list"
    (cd "$tree" && find . -type d | sed 's|$|/|; s|^\./\(.\)|\1|' | LC_ALL=C sort) >"$lists/folders"
    (cd "$tree" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$lists/files"
    while IFS= read -r name; do require_no_folder "$target/$name"; done <"$lists/files"
    listed_names "$target/$list" >"$lists/before"
    {
        missing_names "$target" <"$lists/folders"
        grep '/$' "$lists/before" || true
    } >"$lists/made"
    while IFS= read -r name; do mkdir -p "$target/$name"; done <"$lists/folders"
    # The list is written before the files, so that it also contains the files of an interrupted run.
    LC_ALL=C sort -u "$lists/made" "$lists/files" "$lists/before" >"$target/$list"
    while IFS= read -r name; do
        if [[ $name != "$list" ]]; then put_file "$tree/$name" "$target/$name"; fi
    done <"$lists/files"
    while IFS= read -r name; do
        rm -f "$target/$name"
    done < <(grep -v '/$' "$lists/before" | grep -vxFf "$lists/files")
    LC_ALL=C sort -u "$lists/made" "$lists/files" >"$tree/$list"
    put_file "$tree/$list" "$target/$list"
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

remove_files() {
    local target=$1 list=$2 names name
    names=$(listed_names "$target/$list")
    while IFS= read -r name; do
        if [[ $name != */ && $name != "$list" ]]; then rm -f "$target/$name"; fi
    done <<<"$names"
    rm -f "$target/$list"
    # The deepest folders come first.
    while IFS= read -r name; do
        if [[ $name == */ ]]; then rmdir "$target/${name#./}" 2>/dev/null || true; fi
    done < <(LC_ALL=C sort -r <<<"$names")
}

has_installed_files() { [[ -f $1/$2 ]]; }

# The names in the list, without those that lead out of the target.
listed_names() { if [[ -f $1 ]]; then grep -vE '^/|(^|/)\.\.(/|$)|^$' "$1" || true; fi; }

missing_names() {
    local name
    while IFS= read -r name; do
        if [[ ! -e $1/$name ]]; then echo "$name"; fi
    done
}
