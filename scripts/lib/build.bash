# shellcheck shell=bash
# Builds pushsend and pushserve for other scripts. They source this file, which sources phases.bash.
#
#   build_phase local [PROGRAM]      a phase that builds it for this machine: the program needs the Swift that built it
#   build_phase portable [PROGRAM]   a phase that builds it for other machines: on Linux the program contains Swift's libraries,
#                                    so that it runs without Swift, and also after an update of Swift
#   choose_programs COUNT [COMMAND...]
#                                    plans COUNT phases, and takes both programs from the folder in `programs`; without one, plans more
#                                    phases: the command, a scripts/setup, and those that build both programs, for this machine or, with
#                                    build_kind=portable, for others
#   known_kinds OPTION VALUE         a check of read_options: the value is a list of what list_kinds prints
#   list_kinds                       prints what happens in the test `kind` of scripts/lib/kill_test, and ends the script
#   play TITLE LIMIT ARGUMENT...     a phase that plays this test with both programs and a folder of the script's name; a run that hangs is
#                                    stopped long before LIMIT seconds. `play_options` are options of each such script
#   choose_debug_build               from now on, build_phase builds for this machine without optimisation, in half the time
#
# PROGRAM is pushsend, if it is not given, or pushserve. Afterwards the variable of this name contains the path of the program, and
# `build_command` the command that builds it.

# shellcheck source=scripts/lib/phases.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/phases.bash"

# current_commit -> its short id, with a plus sign if files differ from it; nothing without a repository
current_commit() {
    local commit
    commit=$(project_git rev-parse --short=10 HEAD 2>/dev/null) || return 0
    if [[ -n $(project_git status --porcelain -- Sources Package.swift) ]]; then commit+="+"; fi
    echo "$commit"
}

# The number that both programs print for --version.
version_file=Sources/PushCommandLine/ProgramVersion.swift
own_version() { sed -nE 's/.*static let number = "(.*)"/\1/p' "${root:?is set by phases.bash}/$version_file"; }

pushsend=.build/release/pushsend
# shellcheck disable=SC2034
pushserve=.build/release/pushserve
build_command=(scripts/lib/swiftpm build -c release)

# For `--version`. Where there is no repository, as in the Dockerfile, the caller can set it.
export PUSHSEND_COMMIT=${PUSHSEND_COMMIT:-$(current_commit)}

choose_debug_build() {
    pushsend=.build/debug/pushsend
    # shellcheck disable=SC2034
    pushserve=.build/debug/pushserve
    build_command=(scripts/lib/swiftpm build)
}

programs=""
build_kind=local

choose_programs() {
    local count=$1
    shift
    if [[ -n $programs ]]; then
        plan_phases "$count"
        pushsend=$programs/pushsend pushserve=$programs/pushserve
        return
    fi
    plan_phases $((count + 2 + ($# > 0)))
    if [[ $# -gt 0 ]]; then front_phase "checking what is needed" "$@"; fi
    build_phase "$build_kind"
    build_phase "$build_kind" pushserve
}

build_phase() {
    local program=${2:-pushsend}
    if [[ $1 == portable ]]; then choose_portable_build; fi
    quiet_phase "building $program" "$(build_hint "${!program}")" "${build_command[@]}" --product "$program"
}

# The portable build has a separate build folder. In a shared folder, its flags would build everything again. On macOS,
# Swift's libraries are a part of the system.
choose_portable_build() {
    if [[ $(uname) != Linux || $pushserve == .build-static/* ]]; then return; fi
    # shellcheck disable=SC2034
    pushsend=.build-static/release/pushsend
    pushserve=.build-static/release/pushserve
    # The program does not need its table of symbols, which takes two megabytes.
    build_command=(scripts/lib/swiftpm build -c release --scratch-path .build-static --static-swift-stdlib
        -Xlinker -s -Xlinker --no-export-dynamic)
    build_in_libstdcxx
    build_in_libyaml
    build_with_packed_relocations
}

# Packed relocations make each start almost a millisecond faster. The program then needs glibc 2.36 (Debian 12, Ubuntu 24.04).
build_with_packed_relocations() {
    local swift
    swift=$(command -v swift) || return 0
    if [[ ! -x $(dirname "$(readlink -f "$swift")")/ld.lld ]]; then return; fi
    build_command+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
}

# Swift's libraries need the C++ library. The static archive makes each start a millisecond faster than the shared library. The
# linker uses the archive if its folder comes before the folder of the shared library.
build_in_libstdcxx() {
    local compiler archive=
    for compiler in cc clang gcc; do
        archive=$("$compiler" -print-file-name=libstdc++.a 2>/dev/null) || continue
        # If there is no archive, the compiler prints the name without a path.
        if [[ $archive == /* ]]; then break; fi
    done
    if [[ $archive != /* ]]; then return; fi
    mkdir -p .build-static/archives
    ln -sf "$archive" .build-static/archives/libstdc++.a
    build_command+=(-Xswiftc "-L$PWD/.build-static/archives" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
}

# The static archive of libyaml makes each start a tenth of a millisecond faster, and the program needs one package less. The
# linker finds only the archive under this name. pkg-config finds the description in this folder before that of the system.
build_in_libyaml() {
    local version archive archives=$PWD/.build-static/archives
    version=$(pkg-config --modversion yaml-0.1 2>/dev/null) || return 0
    archive=$(pkg-config --variable=libdir yaml-0.1)/libyaml.a
    if [[ ! -f $archive ]]; then return; fi
    mkdir -p "$archives"
    ln -sf "$archive" "$archives/libyaml_static.a"
    printf '%s\n' "Name: LibYAML" "Description: libyaml, static" "Version: $version" \
        "Cflags: $(pkg-config --cflags yaml-0.1)" "Libs: -L$archives -lyaml_static" >"$archives/yaml-0.1.pc"
    export PKG_CONFIG_PATH=$archives${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
}

build_hint() { if [[ -x $1 ]]; then echo "a few seconds if little has changed"; else echo "first time about 4 minutes"; fi; }

# shellcheck disable=SC2034
play_options=("--programs programs program_folder" "--list list_kinds" "--debug choose_debug_build")

known_kinds() { known_words "$(list_kinds | cut -d ' ' -f 1 | paste -sd , -)" "$@"; }

list_kinds() {
    python3 scripts/lib/kill_test "${kind:?is set by the script}" --list
    exit
}

play() {
    loud_phase_limit=$2
    loud_phase "$1" "" python3 scripts/lib/kill_test "$kind" \
        "$(realpath "$pushsend")" "$(realpath "$pushserve")" "$root/.build/$script_name" "${@:3}"
}
