# shellcheck shell=bash
# Building pushsend, for the scripts that need the program itself. Sourced after phases.bash, in the root of the clone.
#
#   build_phase local      the phase that builds it for this clone: it needs the Swift that built it
#   build_phase portable   the phase that builds it for other places: on Linux with Swift's libraries inside, so that it
#                          runs where Swift is not, and goes on running when Swift is updated
#
# Afterwards the path of the program is in `pushsend`, and what builds more of the same kind is in `build_command`.

# current_commit -> its short id, with a plus sign if files differ from it; nothing without a repository
current_commit() {
    local commit
    commit=$(git rev-parse --short=10 HEAD 2>/dev/null) || return 0
    if ! git diff --quiet HEAD -- Sources Package.swift 2>/dev/null; then commit+="+"; fi
    echo "$commit"
}

pushsend=.build/release/pushsend
build_command=(swift build -c release)

# For `pushsend --version`. Where there is no repository, as in the Dockerfile, the caller can set it.
export PUSHSEND_COMMIT=${PUSHSEND_COMMIT:-$(current_commit)}

build_phase() {
    if [[ $1 == portable ]]; then choose_portable_build; fi
    quiet_phase "building pushsend" "$(build_hint)" "${build_command[@]}" --product pushsend
}

# A build folder of its own, because other flags would build everything again in a shared one. On macOS, Swift's
# libraries are a part of the system.
choose_portable_build() {
    if [[ $(uname) != Linux ]]; then return; fi
    pushsend=.build-static/release/pushsend
    # Nothing looks for symbols in a program, and the table of them is two megabytes.
    build_command=(swift build -c release --scratch-path .build-static --static-swift-stdlib
        -Xlinker -s -Xlinker --no-export-dynamic)
    build_in_libstdcxx
}

# Swift's libraries need that of C++. From its archive, where there is one, they take what they need: binding the shared
# one takes a millisecond of every start. The linker prefers an archive that is in a folder before the shared library's.
build_in_libstdcxx() {
    local compiler archive=
    for compiler in cc clang gcc; do
        archive=$("$compiler" -print-file-name=libstdc++.a 2>/dev/null) || continue
        # Without one it gives the bare name back.
        if [[ $archive == /* ]]; then break; fi
    done
    if [[ $archive != /* ]]; then return; fi
    mkdir -p .build-static/archives
    ln -sf "$archive" .build-static/archives/libstdc++.a
    build_command+=(-Xswiftc "-L$PWD/.build-static/archives" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
}

build_hint() {
    if [[ -x $pushsend ]]; then echo "a few seconds when little has changed"; else echo "first time about 4 minutes"; fi
}
