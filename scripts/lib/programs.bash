# shellcheck shell=bash
# Runs programs for a script: a mock APNs, a service, a cluster. Scripts source this file, which sources build.bash.
#
#   begin NAME COMMAND...       starts a program. Its output goes into FOLDER/NAME.ready, and its messages into FOLDER/NAME.log
#   wait_until_ready NAME [N]   waits until the output has a ready line, at most N tenths of a second
#   ready_value NAME KEY        prints a value of the ready line: endpoint, port, ca_file, ...
#   kill_program NAME           kill -9
#   end_programs                stops all programs, and removes the folder; the clean_up of this file calls it
#
# For the demonstrations:
#
#   show COMMAND...             prints a command as it is typed, and runs it; keys and passwords are not shown
#   app_lines                   prints the part of a configuration for an app whose Apple is the mock
#   begin_worker N              starts a worker with FOLDER/pushserve.yaml: the program worker-N
#   wait_for_workers N...       waits until these workers are ready
#   one_app NAME TOPIC [LINE]   prints the lines of one app of it; LINE has other credentials than the mock's key
#   make_key                    makes a key for the app, and keeps it in FOLDER/key
#   post_in_background N S URL...  posts N pushes in about S seconds
#   wait_for_pushes NUMBER      waits until this number is acknowledged

# shellcheck source=scripts/lib/build.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/build.bash"

# The folder of this run.
folder=""
program_jobs=()

begin() {
    local name=$1 before=$job
    shift
    : >"$folder/$name.ready"
    start_job "$folder/$name.log" keep_ready_line "$folder/$name.ready" "$@"
    echo "$job" >"$folder/$name.job"
    program_jobs+=("$job")
    job=$before
}

# Standard output contains the ready line and goes into a separate file. Standard error goes into the log.
keep_ready_line() {
    local ready=$1
    shift
    exec "$@" >"$ready"
}

wait_until_ready() {
    local tries
    for ((tries = 0; tries < ${2:-1800}; tries++)); do
        if grep -qE '"event": ?"ready"' "$folder/$1.ready"; then return; fi
        if ! kill -0 "$(cat "$folder/$1.job")" 2>/dev/null; then break; fi
        sleep 0.1
    done
    echo "error: $1 didn't become ready. It printed:"
    cat "$folder/$1.ready" "$folder/$1.log"
    return 1
}

# The ready line is one flat JSON object.
ready_value() { sed -nE "s/.*\"$2\" *: *\"?([^\",}]*).*/\1/p" "$folder/$1.ready" | head -n 1 | sed 's|\\/|/|g'; }

kill_program() {
    kill -s KILL -- "-$(cat "$folder/$1.job")"
    wait "$(cat "$folder/$1.job")" 2>/dev/null || true
}

end_programs() {
    local index
    for ((index = ${#program_jobs[@]} - 1; index >= 0; index--)); do stop_job "${program_jobs[index]}"; done
    program_jobs=()
    if [[ -n $folder ]]; then rm -rf "$folder"; fi
}

clean_up() {
    # A second signal would end this half done, and leave programs running.
    trap '' INT TERM HUP
    clean_up_phases
    end_programs
}

# --- Demonstrations

show() {
    printf '\n      $%s\n' "$(as_typed "$@" | hidden)"
    "$@" 2>&1 | sed -E 's|^|      |; s|(postgres://[^:]*:)[^@]*@|\1...@|'
    return "${PIPESTATUS[0]}"
}

hidden() { sed -E "s|$folder/||g; s|$(dirname "$pushserve")/||; s|psk_[A-Za-z0-9_-]*|\$KEY|; s|(postgres://[^:]*:)[^@]*@|\1...@|"; }

as_typed() {
    local word
    for word in "$@"; do
        if [[ $word == *" "* || $word == *"{"* ]]; then printf " '%s'" "$word"; else printf ' %s' "$word"; fi
    done
}

app_lines() {
    echo "apps:"
    one_app shop com.example.app
    echo "    delivery: at_least_once"
}

one_app() {
    cat <<END
  $1:
    environment: {host: localhost, port: $(ready_value mock port), ca: $(ready_value mock ca_file)}
    ${3:-key: {file: $(ready_value mock key_file), id: $(ready_value mock key_id), team: $(ready_value mock team_id)\}}
    topic: $2
END
}

begin_worker() { begin "worker-$1" env PUSHSERVE_LISTEN=127.0.0.1:0 "$pushserve" run --json --config "$folder/pushserve.yaml"; }

wait_for_workers() {
    local number
    for number in "$@"; do wait_until_ready "worker-$number" || return; done
}

make_key() {
    show "$pushserve" key create --app shop --scope send,read --config "$folder/pushserve.yaml" >"$folder/key.output" || return
    grep -o 'psk_[A-Za-z0-9_-]*' "$folder/key.output" >"$folder/key"
    sed -E 's/psk_[A-Za-z0-9_-]*/psk_.../' "$folder/key.output"
}

post_in_background() { start_job "$folder/posting.log" scripts/lib/demo-pushes post "$folder" "$@"; }

wait_for_pushes() {
    while [[ $(acknowledged) -lt $1 ]]; do
        if ! kill -0 "$job" 2>/dev/null && [[ $(acknowledged) -lt $1 ]]; then
            cat "$folder/posting.log"
            return 1
        fi
        if on_terminal; then draw_progress "      $(acknowledged) pushes are acknowledged"; fi
        sleep 0.1
    done
}

acknowledged() { wc -l 2>/dev/null <"$folder/acknowledged.jsonl" || echo 0; }

# All pushes are acknowledged, and the program that posts them has ended.
finish_posting() {
    wait_for_pushes "$1" || return
    finish_job 0 ""
    if [[ $job_status -eq 0 ]]; then return; fi
    cat "$folder/posting.log"
    return 1
}
