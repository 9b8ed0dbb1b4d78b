# shellcheck shell=bash
# The steps of a long run: .ci/run and scripts/nightly source this file, which sources phases.bash.
#
#   step LIMIT TITLE COMMAND...  runs a command for at most LIMIT minutes, and keeps its result and its time; its status is in `step_status`
#   print_times                  prints a table of all steps, and of the phases of each that took 5 seconds or longer
#
# The command's output is shown. If `step_log` is set, it goes into this file too. A step that ends with 75 has not failed: its result is the
# word in `step_result_75`.

# shellcheck source-path=SCRIPTDIR source=phases.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/phases.bash"
trap 'exit 129' HUP

# Where the phases of the steps write their times, see phases.bash: "title<TAB>seconds".
export PHASE_TIMES=${PHASE_TIMES:-$(mktemp "${TMPDIR:-/tmp}/phase-times.XXXXXX")}
step_log=""
step_result_75=skipped
step_status=0
step_rows=()
# Seconds that a step has for its own cleaning up, such as unmounting and stopping servers, before it is killed.
step_patience=30
step_pipe=""
log_writer=""

step() {
    local limit=$1 title=$2 began=$SECONDS lines
    shift 2
    printf '\n=== %s: %s\n' "$title" "$*"
    lines=$(wc -l <"$PHASE_TIMES")
    if [[ -n $step_log ]]; then
        start_log
        start_job "" "$@" >"$step_pipe" 2>&1
    else
        start_job "" "$@"
    fi
    wait_for_job $((limit * 60)) stop_step
    step_status=$job_status
    stop_leftovers "$job"
    job=""
    if [[ -n $step_log ]]; then end_log; fi
    step_rows+=("$(printf '%s\t%s\t%s\t%s' "$(step_result)" "$((SECONDS - began))" "$((lines + 1))" "$title")")
}

# The scripts run parts of themselves in groups of their own, which would outlast a script that had to be killed.
stop_step() {
    local group groups
    groups=$(groups_below "$job")
    stop_job "$job" "$step_patience"
    for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null || true; done
}

# groups_below GROUP: this process group, and all that its processes have started.
groups_below() {
    all_processes | awk -v first="$1" '
        { parent[$1] = $2; group[$1] = $3 }
        END {
            found[first]
            do {
                more = 0
                for (id in group) {
                    if (!(group[id] in found) && (parent[id] in group) && (group[parent[id]] in found)) { found[group[id]]; more = 1 }
                }
            } while (more)
            for (id in found) print id
        }'
}

# A line for each process: its id, its parent and its group. Small images have no ps.
all_processes() {
    if [[ -r /proc/self/stat ]]; then
        # Of a process that ends in the meantime, there is no file.
        { cat /proc/[0-9]*/stat 2>/dev/null || true; } | sed -E 's/^([0-9]+) \(.*\) . ([0-9]+) ([0-9]+) .*/\1 \2 \3/'
    else
        ps -A -o pid=,ppid=,pgid=
    fi
}

# The writer is outside the step's group, so that the log has what a step prints while it ends.
start_log() {
    step_pipe=$PHASE_TIMES.output
    rm -f "$step_pipe"
    mkfifo "$step_pipe"
    tee "$step_log" <"$step_pipe" &
    log_writer=$!
}

# A process that the step left running would keep the pipe open.
end_log() {
    local tries
    for ((tries = 0; tries < 50; tries++)); do
        kill -0 "$log_writer" 2>/dev/null || break
        sleep 0.1
    done
    kill "$log_writer" 2>/dev/null || true
    wait "$log_writer" 2>/dev/null || true
    log_writer=""
    rm -f "$step_pipe"
}

# Ignores further signals: after a second Ctrl-C, parts of the step would be left.
clean_up() {
    trap '' INT TERM HUP
    if [[ -n $job ]]; then stop_step; fi
    if [[ -n $log_writer ]]; then end_log; fi
    rm -f "$PHASE_TIMES"
}

step_result() {
    case $step_status in
        0) echo passed ;;
        124) echo "too long" ;;
        75) echo "$step_result_75" ;;
        *) echo FAILED ;;
    esac
}

print_times() {
    local row result seconds first title next=""
    printf '\n  time  result        step\n'
    for row in ${step_rows[@]+"${step_rows[@]}"}; do
        IFS=$'\t' read -r result seconds first title <<<"$row"
        print_phases "$next" "$first"
        printf '%6s  %-12s  %s\n' "$(clock "$seconds")" "$result" "$title"
        next=$first
    done
    print_phases "$next" 1000000
    printf '%6s  in all\n' "$(clock "$SECONDS")"
}

# print_phases FIRST NEXT: the phases of the step whose first line is FIRST, before line NEXT
print_phases() {
    local title seconds
    if [[ -z $1 || $1 -ge $2 ]]; then return; fi
    while IFS=$'\t' read -r title seconds; do
        if [[ $seconds -ge 5 ]]; then printf '%20s  %6s  %s\n' "" "$(clock "$seconds")" "$title"; fi
    done < <(sed -n "$1,$(($2 - 1))p" "$PHASE_TIMES")
}
