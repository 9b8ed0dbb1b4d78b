# shellcheck shell=bash
# Runs a mock APNs for a script. Scripts source this file after phases.bash.
#
#   begin_mock FOLDER COMMAND...   starts COMMAND, a `pushsend mock --json`; its output goes into FOLDER, which must exist
#   wait_for_mock                  waits until the mock is ready
#   ready_value KEY                prints a value of its ready line: endpoint, port, ca_file, ...
#   end_mock                       stops the mock; the EXIT trap can call it too

mock_job=""
mock_folder=""

begin_mock() {
    mock_folder=$1
    shift
    start_job "$mock_folder/mock.log" keep_ready_line "$mock_folder/mock.ready" "$@"
    mock_job=$job
    job=""
}

# Standard output contains the ready line and goes into a separate file. Standard error goes into the log.
keep_ready_line() {
    local ready=$1
    shift
    exec "$@" >"$ready"
}

wait_for_mock() {
    local tries
    for ((tries = 0; tries < 1800; tries++)); do
        if grep -q '"endpoint"' "$mock_folder/mock.ready" 2>/dev/null; then return; fi
        if ! kill -0 "$mock_job" 2>/dev/null; then break; fi
        sleep 0.1
    done
    echo "error: the mock did not become ready. It printed:"
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
