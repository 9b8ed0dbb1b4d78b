"""Prints a provider token as another library writes it.

    provider_token.py FORM KEY_FILE KEY_ID TEAM_ID

standard-base64: with the alphabet and the padding of RFC 4648 section 4, and at least one + or /. es512: this name as alg, and a
SHA-512 signature whose r and s are padded to 66 bytes each, as pushok writes it. No sender is known for the others: es512-short has an
ES256 signature below that name, es512-der is SHA-512 in DER, es256-long is es512 with the name ES256, es512-other-key is signed by a key that
nobody trusts. fraction: an iat with a fraction. expired: an exp in the past.
"""

import base64
import json
import sys
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import load_pem_private_key

form, key_file, key_id, team_id = sys.argv[1:]
is_standard = form == "standard-base64"
with open(key_file, "rb") as file:
    key = load_pem_private_key(file.read(), None)
if form == "es512-other-key":
    key = ec.generate_private_key(ec.SECP256R1())


def text(data):
    if is_standard:
        return base64.b64encode(data).decode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signature(signed):
    is_long = form in ("es512", "es512-der", "es256-long", "es512-other-key")
    der = key.sign(signed, ec.ECDSA(hashes.SHA512() if is_long else hashes.SHA256()))
    if form == "es512-der":
        return der
    width = 66 if is_long else 32
    return b"".join(number.to_bytes(width, "big") for number in utils.decode_dss_signature(der))


def token():
    now = int(time.time())
    header = json.dumps({"alg": "ES512" if form.startswith("es512") else "ES256", "kid": key_id})
    claims = {"iss": team_id, "iat": now - 0.5 if form == "fraction" else now}
    if form == "expired":
        claims["exp"] = now - 60
    signed = f"{text(header.encode())}.{text(json.dumps(claims).encode())}"
    return f"{signed}.{text(signature(signed.encode()))}"


# Each signature is another one, so a + or a / comes soon.
made = token()
while is_standard and "+" not in made and "/" not in made:
    made = token()
print(made)
