# shellcheck shell=bash
# Arguments of scripts/service-kills, scripts/cluster-kills and scripts/demo-cluster, which source this file after build.bash.
#
#   whole_number OPTION VALUE          prints the value
#   program_folder OPTION VALUE        prints the path of a folder with pushsend and pushserve
#   known_words ALL OPTION VALUE       prints the value, a list of words with commas; each is one of ALL, such a list, too
# shellcheck disable=SC2154

whole_number() {
    if [[ ! ${2:-} =~ ^[1-9][0-9]{0,9}$ ]]; then
        echo "$script_name: $1 needs a whole number." >&2
        exit 64
    fi
    echo "$2"
}

program_folder() {
    if [[ ! -x ${2:-}/pushsend || ! -x $2/pushserve ]]; then
        echo "$script_name: $1 needs a folder with pushsend and pushserve." >&2
        exit 64
    fi
    realpath "$2"
}

known_words() {
    local word
    for word in $(tr ',' ' ' <<<"${3:-none}"); do
        if [[ ,$1, != *,$word,* ]]; then
            echo "$script_name: $2 needs words of this list, with commas between them: $1" >&2
            exit 64
        fi
    done
    echo "$3"
}
