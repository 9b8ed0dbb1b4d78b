# shellcheck shell=bash
# The steps of a long run: .ci/run and scripts/nightly source this file, in the root of the clone.
#
#   step LIMIT TITLE COMMAND...  runs a command for at most LIMIT minutes, and keeps its result and its time; its status is in `step_status`
#   print_times                  prints a table of all steps, and of the phases of each that took 5 seconds or longer
#
# The command's output is shown. If `step_log` is set, it goes into this file too.

# Where the phases of the steps write their times, see phases.bash: "title<TAB>seconds".
export PHASE_TIMES=${PHASE_TIMES:-$(mktemp "${TMPDIR:-/tmp}/phase-times.XXXXXX")}
step_log=""
step_status=0
step_rows=()

step() {
    local limit=$1 title=$2 began=$SECONDS lines
    shift 2
    printf '\n=== %s: %s\n' "$title" "$*"
    lines=$(wc -l <"$PHASE_TIMES")
    step_status=0
    if [[ -n $step_log ]]; then
        timeout --foreground --signal=INT --kill-after=60 "${limit}m" "$@" </dev/null 2>&1 | tee "$step_log" || step_status=${PIPESTATUS[0]}
    else
        timeout --foreground --signal=INT --kill-after=60 "${limit}m" "$@" </dev/null || step_status=$?
    fi
    step_rows+=("$(printf '%s\t%s\t%s\t%s' "$(step_result)" "$((SECONDS - began))" "$((lines + 1))" "$title")")
}

step_result() {
    case $step_status in
        0) echo passed ;;
        124) echo "too long" ;;
        *) echo FAILED ;;
    esac
}

print_times() {
    local row result seconds first title next=""
    printf '\n  time  result    step\n'
    for row in ${step_rows[@]+"${step_rows[@]}"}; do
        IFS=$'\t' read -r result seconds first title <<<"$row"
        print_phases "$next" "$first"
        printf '%6s  %-8s  %s\n' "$(minutes_of "$seconds")" "$result" "$title"
        next=$first
    done
    print_phases "$next" 1000000
    printf '%6s  in all\n' "$(minutes_of "$SECONDS")"
}

# print_phases FIRST NEXT: the phases of the step whose first line is FIRST, before line NEXT
print_phases() {
    local title seconds
    if [[ -z $1 || $1 -ge $2 ]]; then return; fi
    while IFS=$'\t' read -r title seconds; do
        if [[ $seconds -ge 5 ]]; then printf '%16s  %6s  %s\n' "" "$(minutes_of "$seconds")" "$title"; fi
    done < <(sed -n "$1,$(($2 - 1))p" "$PHASE_TIMES")
}

# 83 -> 1:23
minutes_of() {
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}
