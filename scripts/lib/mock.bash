# shellcheck shell=bash
# A mock APNs that runs beside a script. Sourced after phases.bash.
#
#   begin_mock FOLDER COMMAND...   starts COMMAND, a `pushsend mock --json`; FOLDER, which is there, gets what it prints
#   wait_for_mock                  waits until it says that it is ready
#   ready_value KEY                a value of its ready line: endpoint, port, ca_file, ...
#   end_mock                       ends it; for the EXIT trap too

mock_job=""
mock_folder=""

begin_mock() {
    mock_folder=$1
    shift
    start_job "$mock_folder/mock.log" keep_ready_line "$mock_folder/mock.ready" "$@"
    mock_job=$job
    job=""
}

# Its standard output alone holds the ready line; the log gets the rest.
keep_ready_line() {
    local ready=$1
    shift
    exec "$@" >"$ready"
}

wait_for_mock() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        if grep -q '"endpoint"' "$mock_folder/mock.ready" 2>/dev/null; then return; fi
        if ! kill -0 "$mock_job" 2>/dev/null; then break; fi
        sleep 0.1
    done
    echo "error: the mock did not say that it is ready. It printed:"
    cat "$mock_folder/mock.ready" "$mock_folder/mock.log"
    return 1
}

# The ready line is one flat JSON object.
ready_value() {
    sed -nE "s/.*\"$1\" *: *\"?([^\",}]*).*/\1/p" "$mock_folder/mock.ready" | head -n 1 | sed 's|\\/|/|g'
}

end_mock() {
    if [[ -z $mock_job ]]; then return 0; fi
    stop_job "$mock_job"
    mock_job=""
}
