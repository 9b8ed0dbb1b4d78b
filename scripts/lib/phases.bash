# shellcheck shell=bash
# What the shell scripts share. A script sources this file first. It sets `root`, the folder of the clone, `called_from`, the folder of the
# caller, and `script_name`; and goes to the root. When the script ends, however it ends, `clean_up` runs, which a script can define anew.
#
#   read_options ARGUMENT...             sets what the entries of `options` name, and prints the head of the script for --help. An entry is
#                                        "--name VARIABLE CHECK" for an option with a value, "--name VARIABLE=VALUE" or "--name FUNCTION" for
#                                        one without. CHECK prints the value, see below. Other arguments than options go to
#                                        take_argument, if the script has this function
#   usage                                prints the head of the script
#   wrong_use WORDS                      ends the script with this message and exit status 64
#   fail WORDS...                        ends the script with this message, a line for each word, and exit status 1
#   error WORDS                          prints that this is an error, and fails
#
# A longer script has phases. Each prints its title and its duration. The output of its command goes to a log, which is printed only if the
# phase fails.
#
#   plan_phases COUNT                    sets the number of phases
#   quiet_phase TITLE HINT COMMAND...    hides the output of the command; HINT is its usual duration, or is empty
#   loud_phase TITLE HINT COMMAND...     shows the output, and also writes it into the log
#   front_phase TITLE COMMAND...         runs in the foreground, for a command that may ask for a password
#
# Functions for scripts with other needs:
#
#   start_job LOG COMMAND...             starts a command in a new process group; its id is in `job`
#   finish_job LIMIT LABEL               waits for this job at most LIMIT seconds (0: no limit); result in `job_status`
#   stop_job ID [SECONDS]                stops a process group: first with SIGINT, after SECONDS with SIGTERM, then with SIGKILL; these are
#                                        $job_patience, 3, or more for a job that has much to end
#   project_git ARGUMENT...              git for the clone in `root`
#
# Everything works with the bash 3.2 of macOS.

# shellcheck disable=SC2034
called_from=$PWD
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$root" || exit
log_folder="$root/.build/logs"
script_name=$(basename "$0")
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

clean_up() { clean_up_phases; }

# --- Arguments

read_options() {
    local entry words found value
    while [[ $# -gt 0 ]]; do
        found=""
        if [[ $1 == --*=?* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
        # The variables are those of the script.
        # shellcheck disable=SC2154
        for entry in ${options[@]+"${options[@]}"}; do
            if [[ ${entry%% *} == "$1" ]]; then found=$entry; fi
        done
        read -ra words <<<"$found"
        if [[ $1 == -h || $1 == --help ]]; then
            usage
            exit
        elif [[ -z $found && $1 != -* ]] && declare -F take_argument >/dev/null; then
            take_argument "$1"
        elif [[ -z $found ]]; then
            wrong_use "unknown option $1. See $(script_path) --help."
        elif [[ ${#words[@]} -gt 2 ]]; then
            value=$("${words[@]:2}" "$@") || exit 64
            printf -v "${words[1]}" %s "$value"
            shift
        elif [[ ${words[1]} == *=* ]]; then
            printf -v "${words[1]%%=*}" %s "${words[1]#*=}"
        else
            "${words[1]}"
        fi
        shift
    done
}

script_path() { if [[ -x scripts/$script_name ]]; then echo "scripts/$script_name"; else echo "scripts/lib/$script_name"; fi; }

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$root/$(script_path)"; }

wrong_use() {
    echo "$script_name: $*" >&2
    exit 64
}

fail() {
    printf '%s: ' "$script_name" >&2
    printf '%s\n' "$@" >&2
    exit 1
}

error() {
    echo "error: $*"
    return 1
}

# The checks of values. Each gets the option and its value, after words of its own.

whole_number() {
    if [[ ! ${2:-} =~ ^[1-9][0-9]{0,17}$ ]]; then wrong_use "$1 needs a whole number."; fi
    echo "$2"
}

# number_between LEAST MOST OPTION VALUE
number_between() {
    if [[ ! ${4:-} =~ ^[1-9][0-9]{0,17}$ || $4 -lt $1 || $4 -gt $2 ]]; then wrong_use "$3 needs a whole number from $1 to $2."; fi
    echo "$4"
}

given_folder() {
    if [[ -z ${2:-} ]]; then wrong_use "$1 needs a folder."; fi
    echo "$2"
}

program_folder() {
    if [[ ! -x ${2:-}/pushsend || ! -x $2/pushserve ]]; then wrong_use "$1 needs a folder with pushsend and pushserve."; fi
    realpath "$2"
}

program_file() {
    if [[ ! -x ${2:-} || -d $2 ]]; then wrong_use "$1 needs the path of a program."; fi
    realpath "$2"
}

# known_words ALL OPTION VALUE: the value is a list of words with commas; each is one of ALL, such a list too
known_words() {
    local word
    for word in $(tr ',' ' ' <<<"${3:-none}"); do
        if [[ ,$1, != *,$word,* ]]; then wrong_use "$2 needs words of this list, with commas between them: $1"; fi
    done
    echo "$3"
}

# Python and the shell can both store this number.
new_seed() { od -An -N4 -tu4 /dev/urandom | tr -d ' '; }

# --- Phases

phase_total=0
phase_number=0
phase_log=""
# The duration of the last phase in seconds, for a summary.
phase_seconds=0
# The job that `finish_job` waits for, and its exit status. 124 means that it was stopped at its time limit.
job=""
job_patience=3
job_status=0
job_log=""
ticker=""

plan_phases() {
    phase_total=$1
    phase_number=0
    mkdir -p "$log_folder"
}

quiet_phase() {
    local title=$1 hint=$2
    shift 2
    begin_phase "$title" "$hint"
    start_job "$phase_log" "$@"
    finish_job 0 "$(phase_label "$title" "$hint")"
    end_phase "$title" "$hint" "$job_status"
}

loud_phase() {
    local title=$1 hint=$2
    shift 2
    begin_phase "$title" "$hint"
    if on_terminal; then phase_label "$title" "$hint"; fi
    start_job "" show_and_keep "$phase_log" "$@"
    finish_job "${loud_phase_limit:-0}" ""
    end_phase "$title" "" "$job_status" shown
}

front_phase() {
    local title=$1 status=0
    shift
    begin_phase "$title" ""
    if on_terminal; then phase_label "$title" ""; fi
    "$@" || status=$?
    end_phase "$title" "" "$status" shown
}

begin_phase() {
    phase_number=$((phase_number + 1))
    phase_log="$log_folder/$script_name-$phase_number.log"
    phase_started=$SECONDS
    if ! on_terminal; then phase_label "$1" "$2"; fi
}

end_phase() {
    local title=$1 hint=$2 status=$3 shown=${4:-}
    phase_seconds=$((SECONDS - phase_started))
    # For the table of a run of many scripts, see steps.bash.
    if [[ -n ${PHASE_TIMES:-} ]]; then printf '%s\t%s\n' "$title" "$phase_seconds" >>"$PHASE_TIMES"; fi
    clear_progress
    if [[ $status -eq 0 ]]; then
        echo "$(phase_label "$title" "") ... done in $(clock "$phase_seconds")"
        return
    fi
    {
        echo "$(phase_label "$title" "") ... FAILED after $(clock "$phase_seconds")$(limit_words "$status")"
        if [[ -z $shown ]]; then show_failure "$phase_log"; else show_failed_tests "$phase_log"; fi
        echo "$script_name: failed while $title."
    } >&2
    exit 1
}

phase_label() { echo "[$phase_number/$phase_total] $1${2:+ ($2)}"; }

limit_words() { if [[ $1 -eq 124 ]]; then echo " (stopped: it exceeded its time limit)"; fi; }

# Prints the errors of the compiler first, because the last lines may not contain them.
show_failure() {
    local log=$1 errors
    errors=$(grep -E '^[^|]*error:' "$log" | awk '!seen[$0]++' | head -n 20) || true
    if [[ -n $errors ]]; then printf 'Errors:\n%s\n' "$errors"; fi
    echo "The last lines of ${log#"$root"/}:"
    tail -n 40 "$log" | sed 's/^/    /'
}

# Prints only the issues of the tests that failed, because the log has thousands of other lines. An issue can have several
# lines: a value with line breaks in it, and the comment of the test.
show_failed_tests() {
    local failed
    failed=$(awk '
        /recorded an issue|: error: / { shown = 12; if (seen[$0]++) shown = 0 }
        !/recorded an issue|: error: / && /(✔|✘|◇|➜) / { shown = 0 }
        # Of a log line of another test.
        /^[0-9]+-[0-9]+-[0-9]+T/ { next }
        shown > 0 { print; shown--; if (++printed >= 120) exit }
    ' "$1" 2>/dev/null) || true
    if [[ -n $failed ]]; then printf 'What failed:\n%s\n' "$failed"; fi
}

# 83 -> 1:23
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

on_terminal() { [[ -t 1 && ${TERM:-dumb} != dumb && -z ${CI:-} ]]; }

show_and_keep() {
    local log=$1
    shift
    set -o pipefail
    "$@" 2>&1 | tee "$log"
}

# A new process group has two effects. The script can stop the command together with everything that it starts. Ctrl-C
# reaches only this script, which then stops the group.
start_job() {
    local log=$1
    shift
    job_log=$log
    set -m
    if [[ -n $log ]]; then
        "$@" </dev/null >"$log" 2>&1 &
    else
        "$@" </dev/null &
    fi
    job=$!
    set +m
}

finish_job() {
    local limit=$1 label=$2
    if [[ -n $label ]] && on_terminal; then start_ticker "$label"; fi
    wait_for_job "$limit" stop_job "$job"
    stop_ticker
    stop_leftovers "$job"
    job=""
}

# wait_for_job LIMIT STOP...: after LIMIT seconds (0: no limit), runs the command STOP. This shell itself looks at the time, so that a job
# that does not end on a signal cannot outlast its limit.
wait_for_job() {
    local limit=$1 end=$((SECONDS + $1)) is_late=""
    shift
    job_status=0
    while [[ $limit -gt 0 ]] && kill -0 "$job" 2>/dev/null; do
        if [[ $SECONDS -ge $end ]]; then
            is_late=yes
            "$@"
            break
        fi
        sleep 0.2
    done
    wait "$job" 2>/dev/null || job_status=$?
    if [[ -n $is_late ]]; then job_status=124; fi
}

# Stops processes that the command left running in its group. They would keep ports and pipes open.
stop_leftovers() { if kill -0 -- "-$1" 2>/dev/null; then stop_job "$1"; fi; }

# SwiftPM stops its compilers on SIGINT. With a stronger signal, it would leave them running.
stop_job() {
    local group=$1 tenths=$((${2:-$job_patience} * 10)) signal tries
    for signal in INT TERM KILL; do
        kill -s "$signal" -- "-$group" 2>/dev/null || return 0
        for ((tries = 0; tries < tenths; tries++)); do
            kill -0 -- "-$group" 2>/dev/null || return 0
            sleep 0.1
        done
        tenths=30
    done
}

start_ticker() {
    tick "$1" "$job_log" "$SECONDS" &
    ticker=$!
}

tick() {
    while true; do
        draw_progress "$1 ... $(clock $((SECONDS - $3)))$(build_step "$2")"
        sleep 1
    done
}

# Cuts the line at the width of the terminal, because a line that wraps cannot be overwritten.
draw_progress() {
    local columns
    columns=$(tput cols 2>/dev/null) || columns=80
    printf '\r\033[K%s' "${1:0:$((columns - 1))}"
}

# "[120/345] Compiling NIOCore ..." -> ", step 120 of 345"
build_step() {
    if [[ -z $1 ]]; then return 0; fi
    tail -n 5 "$1" 2>/dev/null | awk '
        match($0, /^\[[0-9]+\/[0-9]+\]/) {
            split(substr($0, 2, RLENGTH - 2), step, "/")
            words = ", step " step[1] " of " step[2]
        }
        /Another instance of SwiftPM/ { words = ", waiting for another swift build to end" }
        END { printf "%s", words }'
}

stop_ticker() {
    if [[ -z $ticker ]]; then return 0; fi
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    ticker=""
    clear_progress
}

clear_progress() { if on_terminal; then printf '\r\033[K'; fi; }

# In a container the clone often belongs to another user. Git reads such a clone only with this setting.
project_git() { git -c safe.directory="$root" "$@"; }

# For the EXIT trap of every script that uses this file. In a trap, a bare `return` returns the exit status of the script, and
# `set -e` would then end the trap. So every function that this one calls uses `return 0`.
clean_up_phases() {
    stop_ticker
    if [[ -n $job ]]; then
        stop_job "$job"
        job=""
    fi
}
