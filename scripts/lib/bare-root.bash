# shellcheck shell=bash
# A root file system with a few Debian packages and nothing else, to run a program in it with chroot. Sourced after
# phases.bash, in the root of the clone. What debootstrap makes is kept in .build/run-image for the next run.
#
#   skip_where_it_cannot_run                 ends the script with 75 where it cannot make one: that needs root, mounts and debootstrap
#   keep_mounts_private [ARGUMENT...]        starts the script again, with the arguments, so that its mounts end with it
#   make_work_folder                         prints a new folder for this run
#   make_bare_root RELEASE PACKAGES FOLDER   puts the root into FOLDER; PACKAGES are separated by blanks
#   root_hint RELEASE PACKAGES               how long that takes, for a phase
#   install_from_debian PACKAGE...           installs tools on this machine
#   write_service_config FILE FOLDER         writes a configuration of pushserve, for an app with the key of a mock in FOLDER
#
# `work` is the folder of this run; it is removed at the end.

work=""

clean_up() {
    # A second signal would end this half done.
    trap '' INT TERM HUP
    clean_up_phases
    if declare -F end_programs >/dev/null; then end_programs; fi
    if [[ -z $work ]]; then return 0; fi
    unmount_all_below "$work"
    # A container that is still ending can create files meanwhile.
    for _ in {1..50}; do
        if rm -rf --one-file-system "$work" 2>/dev/null; then return 0; fi
        sleep 0.2
    done
    rm -rf --one-file-system "$work"
}

bare_roots=${root:?is set by the script that sources this}/.build/run-image

skip_where_it_cannot_run() {
    if [[ $(uname) != Linux ]]; then skip "needs Linux"; fi
    if [[ $(id -u) -ne 0 ]]; then skip "needs root"; fi
    # So that the mounts end with this script, however it ends.
    if ! unshare --mount true 2>/dev/null; then skip "needs the right to mount"; fi
    if ! has_debootstrap && ! command -v apt-get >/dev/null; then skip "needs debootstrap and Debian's keyring"; fi
}

skip() {
    echo "${script_name:?is set by phases.bash}: skipped: $1."
    exit 75
}

keep_mounts_private() {
    if [[ -n ${mounts_are_private:-} ]]; then return; fi
    mounts_are_private=yes exec unshare --mount "$root/scripts/lib/$script_name" "$@"
}

make_work_folder() {
    mkdir -p "$bare_roots"
    mktemp -d "$bare_roots/run.XXXXXX"
}

# The mounts of this script, and those of a debootstrap that was stopped.
unmount_all_below() {
    local point
    while read -r _ point _; do
        if [[ $point == "$1"/* ]]; then umount "$point" || true; fi
    done < <(tac /proc/mounts)
}

root_hint() { if [[ -f $(kept_root "$1" "$2") ]]; then echo "from the last run"; else echo "first time about 1 minute"; fi; }

kept_root() { echo "$bare_roots/$1-$(dpkg --print-architecture)-${2// /-}.tar"; }

make_bare_root() {
    local release=$1 packages=$2 folder=$3 kept
    kept=$(kept_root "$release" "$packages")
    mkdir -p "$folder"
    if [[ -f $kept ]]; then
        tar -C "$folder" --numeric-owner -xpf "$kept"
        return
    fi
    if ! has_debootstrap; then install_from_debian debootstrap debian-archive-keyring; fi
    # shellcheck disable=SC2046
    debootstrap --variant=minbase --include="${packages// /,}" "$release" "$folder" $(mirror "$release")
    tar -C "$folder" --numeric-owner -cf "$kept.new" .
    mv "$kept.new" "$kept"
}

has_debootstrap() { command -v debootstrap >/dev/null && [[ -f /usr/share/keyrings/debian-archive-keyring.gpg ]]; }

# install_from_debian PACKAGE...
install_from_debian() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get install --yes --no-install-recommends "$@" ||
        { apt-get update && apt-get install --yes --no-install-recommends "$@"; }
}

write_service_config() {
    cat >"$1" <<END
listen: 127.0.0.1:0
apps:
  shop:
    environment: sandbox
    key: {file: $2/AuthKey_MOCKKEY123.p8, team: MOCKTEAM12}
    topic: com.example.app
END
}

# Where this machine gets the same release from, if it does: debootstrap's own choice may be out of reach.
mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI)' "Codename: $1" 'Created-By: Packages' 2>/dev/null | head -n 1
}
