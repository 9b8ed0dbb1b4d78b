"""Prints a provider token as another library writes it.

    provider_token.py standard-base64|es512 KEY_FILE KEY_ID TEAM_ID

standard-base64: with the alphabet and the padding of RFC 4648 section 4, and at least one + or /. es512: this name as alg, above an
ES256 signature.
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


def text(data):
    if is_standard:
        return base64.b64encode(data).decode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token():
    header = json.dumps({"alg": "ES256" if is_standard else "ES512", "kid": key_id})
    claims = json.dumps({"iss": team_id, "iat": int(time.time())})
    signed = f"{text(header.encode())}.{text(claims.encode())}"
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


# Each signature is another one, so a + or a / comes soon.
made = token()
while is_standard and "+" not in made and "/" not in made:
    made = token()
print(made)
