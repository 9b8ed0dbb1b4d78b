#!/usr/bin/env bash
# Makes a set of test files for client certificates and `pushsend mock --certs DIR`: an authority, a server certificate, a
# key for provider tokens, and valid and invalid client identities. It needs only openssl.
#
#   certs.example/make.sh                 writes the set into certs.example/out
#   certs.example/make.sh DIR             writes it into another folder, which is created if necessary
#   certs.example/make.sh --force [DIR]   replaces the set of an earlier run
#
# certs.example/README.md describes each file.
set -euo pipefail
umask 077

here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
script_name=certs.example/make.sh

# The same values as in Sources/MockAPNs.
key_id=MOCKKEY123
team_id=MOCKTEAM12
server_names="DNS:localhost,IP:127.0.0.1,IP:::1,DNS:api.push.apple.com,DNS:api.sandbox.push.apple.com"
server_names+=",DNS:api.development.push.apple.com,DNS:api-broadcast.push.apple.com"
server_names+=",DNS:api-broadcast.sandbox.push.apple.com,DNS:api-manage-broadcast.push.apple.com"
server_names+=",DNS:api-manage-broadcast.sandbox.push.apple.com"

bundle_id=com.example.app
passphrase=example
# Times in the form of openssl. All versions of openssl read and write two digits for the year in the same way.
expired_from=240101000000Z
expired_until=250101000000Z
today=$(date -u +%y%m%d)000000Z

apple=1.2.840.113635.100.6.3
# A passphrase in PKCS#12 has 16 bits per character, and a zero after the last one. So an empty passphrase differs from none.
no_passphrase_bytes=""
empty_passphrase_bytes=0000

out=$here/out
force=no
work=""

main() {
    read_arguments "$@"
    require_openssl
    require_free_folder
    work=$(mktemp -d "${TMPDIR:-/tmp}/pushprovider-certs.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    cd "$work"
    mkdir set
    write_configuration
    make_authority
    make_server
    make_token_key
    make_identities
    make_files_of_universal
    make_several
    make_files_without_passphrase
    put_in_place
    say_what_is_there
}

# --- Arguments and requirements

read_arguments() {
    local folder=""
    while [[ $# -gt 0 ]]; do
        case $1 in
            -f | --force) force=yes ;;
            -h | --help) usage && exit ;;
            -*) fail_usage "unknown option $1. See --help." ;;
            "") fail_usage "the name of the folder is empty." ;;
            *)
                if [[ -n $folder ]]; then fail_usage "takes one folder."; fi
                folder=$1
                ;;
        esac
        shift
    done
    case $folder in
        "") ;;
        /*) out=$folder ;;
        *) out=$PWD/$folder ;;
    esac
}

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail_usage() {
    echo "$script_name: $*" >&2
    exit 64
}

fail() {
    echo "$script_name: $*" >&2
    exit 1
}

require_openssl() {
    if ! command -v openssl >/dev/null; then fail "needs openssl: install the package of that name."; fi
}

# Also with --force, a folder that this script has not made stays unchanged, because it may contain other data.
require_free_folder() {
    if [[ ! -e $out ]]; then return; fi
    if [[ ! -d $out ]]; then fail "$out exists and isn't a folder."; fi
    if [[ -z $(ls -A "$out") ]]; then return; fi
    if [[ ! -f $out/ca.pem || ! -f $out/team-id.txt ]]; then
        fail "$out contains other files. Give a folder that is empty or doesn't exist."
    fi
    if [[ $force == no ]]; then
        fail "$out already contains a set. --force replaces it; clients that trust its ca.pem then need the new one."
    fi
}

# --- openssl

# Runs a command of openssl. Prints its output only if it fails.
quietly() {
    if "$@" >log 2>&1 </dev/null; then return; fi
    cat log >&2
    fail "this command of openssl failed: $*"
}

write_configuration() {
    {
        write_authority_sections
        write_extension_sections
        write_topics "$bundle_id=app" "$bundle_id.voip=voip" "$bundle_id.complication=complication"
    } >openssl.conf
    : >index.txt
    # Serial numbers are positive and always have the same length.
    echo "01$(openssl rand -hex 9)" >serial
}

write_authority_sections() {
    cat <<CONFIGURATION
[req]
distinguished_name = given
string_mask = utf8only
[given]

[ca]
default_ca = authority
[authority]
certificate = set/ca.pem
private_key = set/ca.key
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
preserve = yes
unique_subject = no
policy = any
[any]
UID = optional
CN = supplied
OU = optional
O = optional
C = optional
CONFIGURATION
}

# One section for each kind of certificate. Its name is the first argument of `issue`.
write_extension_sections() {
    local client="basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always"
    cat <<CONFIGURATION
[kind_authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[kind_server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
subjectAltName = $server_names
[kind_plain]
$client
[kind_sandbox]
$client
$apple.1 = ASN1:NULL
[kind_production]
$client
$apple.2 = ASN1:NULL
[kind_universal]
$client
$apple.1 = ASN1:NULL
$apple.2 = ASN1:NULL
$apple.6 = ASN1:SEQUENCE:topics
[kind_voip]
$client
$apple.1 = ASN1:NULL
$apple.2 = ASN1:NULL
$apple.4 = ASN1:UTF8String:$bundle_id.voip
CONFIGURATION
}

# write_topics TOPIC=LABEL... -> the section `topics`: each topic is a string, and a sequence with its label follows
write_topics() {
    local pair number=0
    echo "[topics]"
    for pair in "$@"; do
        number=$((number + 1))
        printf 'topic%d = UTF8String:%s\n' "$number" "${pair%%=*}"
        printf 'labels%d = SEQUENCE:labels%d\n' "$number" "$number"
    done
    number=0
    for pair in "$@"; do
        number=$((number + 1))
        printf '[labels%d]\nlabel = UTF8String:%s\n' "$number" "${pair#*=}"
    done
}

# Unencrypted PKCS#8 in PEM, like Apple's .p8 files.
make_rsa_key() {
    quietly openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$1"
}

make_p256_key() {
    quietly openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 \
        -pkeyopt ec_param_enc:named_curve -out "$1"
}

# issue KIND SUBJECT KEY CERTIFICATE ARGUMENT... -> the certificate of a key; the arguments set its validity
issue() {
    local kind=$1 subject=$2 key=$3 certificate=$4
    shift 4
    quietly openssl req -new -config openssl.conf -utf8 -subj "$subject" -key "$key" -out request.pem
    quietly openssl ca -batch -notext -config openssl.conf -extensions "kind_$kind" -in request.pem \
        -out "$certificate" "$@"
}

# --- The files of the set

# The authority is older than the expired certificate, so that this certificate has only one mistake.
make_authority() {
    make_rsa_key set/ca.key
    issue authority "/CN=Authority of certs.example/O=Example/C=US" set/ca.key set/ca.pem \
        -selfsign -startdate "$expired_from" -days 3650
}

# Valid for less than 825 days, the maximum on Apple's systems.
make_server() {
    make_p256_key set/server.key
    issue server "/CN=Server of certs.example/O=Example/C=US" set/server.key set/server.pem \
        -startdate "$today" -days 397
}

make_token_key() {
    make_p256_key "set/AuthKey_$key_id.p8"
    echo "$team_id" >set/team-id.txt
    echo "$passphrase" >set/passphrase.txt
}

make_identities() {
    local for_a_year=(-startdate "$today" -days 365)
    make_identity universal universal "$bundle_id" "Apple Push Services: $bundle_id" "${for_a_year[@]}"
    make_identity sandbox sandbox "$bundle_id" "Apple Development IOS Push Services: $bundle_id" "${for_a_year[@]}"
    make_identity production production "$bundle_id" "Apple Production IOS Push Services: $bundle_id" \
        "${for_a_year[@]}"
    make_identity voip voip "$bundle_id.voip" "VoIP Services: $bundle_id" "${for_a_year[@]}"
    make_identity plain plain "" "Example client" "${for_a_year[@]}"
    make_identity expiring universal "$bundle_id" "Apple Push Services: $bundle_id" -startdate "$today" -days 20
    make_identity expired universal "$bundle_id" "Apple Push Services: $bundle_id" \
        -startdate "$expired_from" -enddate "$expired_until"
}

# make_identity NAME KIND UID COMMON_NAME ARGUMENT... -> NAME-key.pem, NAME-certificate.pem and set/NAME.p12
make_identity() {
    local name=$1 kind=$2 uid=$3 common_name=$4
    shift 4
    make_rsa_key "$name-key.pem"
    issue "$kind" "${uid:+/UID=$uid}/CN=$common_name${uid:+/OU=$team_id}/O=Example/C=US" "$name-key.pem" \
        "$name-certificate.pem" "$@"
    export_modern "$name" "$common_name" file:set/passphrase.txt "set/$name.p12"
}

# export_modern NAME FRIENDLY_NAME PASSPHRASE FILE: PBES2 with AES-256, and HMAC-SHA256. This is the default of OpenSSL 3;
# older versions need the options.
export_modern() {
    quietly openssl pkcs12 -export -in "$1-certificate.pem" -inkey "$1-key.pem" -name "$2" -passout "$3" -out "$4" \
        -keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256
}

make_files_of_universal() {
    cp universal-certificate.pem universal-key.pem set
    cat universal-certificate.pem universal-key.pem >set/universal-combined.pem
    quietly openssl pkcs8 -topk8 -v2 aes-256-cbc -in universal-key.pem -passout file:set/passphrase.txt \
        -out set/universal-key-encrypted.pem
    export_legacy universal "Apple Push Services: $bundle_id" set/legacy.p12
}

# export_legacy NAME FRIENDLY_NAME FILE: the encryption of macOS Keychain. OpenSSL 3 has it in its legacy provider; older
# versions and LibreSSL have it by default.
export_legacy() {
    local help legacy=()
    help=$(openssl pkcs12 -help 2>&1 || true)
    if [[ $help == *-legacy* ]]; then legacy=(-legacy); fi
    if ! openssl pkcs12 -export ${legacy[@]+"${legacy[@]}"} -in "$1-certificate.pem" -inkey "$1-key.pem" -name "$2" \
        -passout file:set/passphrase.txt -out "$3" \
        -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-RC2-40 -macalg sha1 >log 2>&1 </dev/null; then
        cat log >&2
        fail "openssl can't write the old encryption. Its legacy provider may be in another package:" \
            "openssl-provider-legacy in Debian 13."
    fi
}

# --- PKCS#12 by hand, for files that openssl cannot write

# `openssl pkcs12 -export` accepts only one key. But a file is a list of separately encrypted parts, and a MAC over the list.
# So the parts of two files with a new MAC are a file with two identities.
make_several() {
    local name
    for name in sandbox production; do contents_of "set/$name.p12" "$name.contents"; done
    cat sandbox.contents production.contents >several.contents
    der 30 several.contents >several.list
    write_pkcs12 several.list "$(wide_hex "$passphrase")" set/several.p12
    quietly openssl pkcs12 -in set/several.p12 -passin file:set/passphrase.txt -noout
}

# Both files are encrypted with zero bytes of password. The MAC uses two zero bytes for an empty passphrase, and no bytes for none.
make_files_without_passphrase() {
    export_modern universal "Apple Push Services: $bundle_id" pass: set/no-passphrase.p12
    contents_of set/no-passphrase.p12 null.contents
    der 30 null.contents >null.list
    write_pkcs12 null.list "$no_passphrase_bytes" set/null-passphrase.p12
    quietly openssl pkcs12 -in set/null-passphrase.p12 -passin pass: -noout
}

# contents_of P12 FILE -> the list of the parts of a PKCS#12 file
contents_of() {
    local offset header
    offset=$(openssl asn1parse -inform DER -in "$1" | sed -nE 's/^ *([0-9]+):d=3 .*OCTET STRING.*/\1/p' | head -n 1)
    quietly openssl asn1parse -inform DER -in "$1" -strparse "$offset" -noout -out list
    header=$(openssl asn1parse -inform DER -in list | sed -nE '1s/.*hl= *([0-9]+).*/\1/p')
    tail -c "+$((header + 1))" list >"$2"
}

# write_pkcs12 LIST PASSPHRASE_HEX FILE: RFC 7292 section 4, with a MAC of SHA-256.
write_pkcs12() {
    local salt mac
    salt=$(openssl rand -hex 8)
    mac=$(mac_of "$1" "$2" "$salt")
    der 04 "$1" >string
    der a0 string >content
    { bytes 06092a864886f70d010701 && cat content; } >typed-content
    der 30 typed-content >authenticated
    bytes "3031300d060960864801650304020105000420$mac" >digest
    { cat digest && bytes "0408$salt"; } >mac-parts
    der 30 mac-parts >mac-data
    { bytes 020103 && cat authenticated mac-data; } >whole
    der 30 whole >"$3"
}

# mac_of LIST PASSPHRASE_HEX SALT_HEX -> RFC 7292 appendix B: the key is the hash of 64 times the purpose (3), then
# salt and passphrase, each repeated to 64 bytes. It uses one round, so that the file need not contain the number of rounds.
# One round is enough because the passphrase is next to the file.
mac_of() {
    local key
    bytes "$(repeated 03)$(repeated "$3")$(repeated "$2")" >key-parts
    key=$(openssl dgst -sha256 -binary key-parts | hex)
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary "$1" | hex
}

# repeated HEX -> the bytes repeated to 64 bytes; empty for no bytes
repeated() {
    local text=$1
    while [[ -n $text && ${#text} -lt 128 ]]; do text+=$1; done
    echo "${text:0:128}"
}

wide_hex() {
    printf '%s' "$1" | hex | sed "s/../00&/g; s/\$/$empty_passphrase_bytes/"
}

hex() {
    od -An -v -tx1 | tr -d ' \n'
}

bytes() {
    printf '%b' "$(printf '%s' "$1" | sed 's/../\\x&/g')"
}

# der TAG_HEX FILE -> an element with this tag and the contents of the file
der() {
    local length form='82%04x'
    length=$(($(wc -c <"$2")))
    if ((length < 128)); then form='%02x'; elif ((length < 256)); then form='81%02x'; fi
    # shellcheck disable=SC2059 # the format is one of the three above
    bytes "$1$(printf "$form" "$length")"
    cat "$2"
}

# --- The end

# Only a complete set is moved into the folder.
put_in_place() {
    mkdir -p "$out"
    chmod 700 "$out"
    mv -f set/* "$out"
}

say_what_is_there() {
    local folder
    folder=$(printf '%q' "$out")
    cat <<WORDS
In $out:

  ca.pem, ca.key         the authority that issued all these certificates
  server.pem, server.key the mock's own certificate and its key
  AuthKey_$key_id.p8  a key for provider tokens; team-id.txt names its team
  passphrase.txt         the passphrase of the encrypted files: $passphrase

  universal.p12          sandbox and production, topics $bundle_id, .voip and .complication
  universal-*.pem        the same identity as certificate and key, encrypted key, and both in one file
  legacy.p12             the same identity in the format of macOS Keychain
  no-passphrase.p12      the same identity with an empty passphrase
  null-passphrase.p12    the same identity without a passphrase
  sandbox.p12            sandbox only, topic $bundle_id
  production.p12         production only, topic $bundle_id
  several.p12            these two in one file
  voip.p12               sandbox and production, topic $bundle_id.voip
  plain.p12              a certificate without Apple's extensions
  expiring.p12           like universal.p12, with 20 days left
  expired.p12            like universal.p12, expired at the end of 2024

In one terminal:

    pushsend mock --certs $folder

In another:

    pushsend send 5f3ad1c07b9e42868d1f60a2c94be7135f3ad1c07b9e42868d1f60a2c94be713 --topic $bundle_id -m Hello \\
        --endpoint localhost:2197 --cacert $folder/ca.pem \\
        --p12 $folder/universal.p12 --passphrase-file $folder/passphrase.txt
WORDS
}

main "$@"
