"""From the discovery file (SEP-1) to a paid deposit (SEP-10, 12, 6), with a client that openapi-python-client generated."""

import re
import sys
import time
import uuid
from urllib.parse import urlparse

import httpx
from stellar_sdk import Keypair
from stellar_sdk.sep.stellar_web_authentication import read_challenge_transaction
from wallet import AuthenticatedClient, Client
from wallet.api.sandbox import pay_deposit
from wallet.api.sep_6 import deposit, get_sep_6_info, get_sep_6_transaction
from wallet.api.sep_10 import get_challenge, get_token
from wallet.api.sep_12 import get_sep_12_customer, put_sep_12_customer
from wallet.models import GetTokenRequest, PayDepositRequest, PutSep12CustomerRequest

anchor, mails, passphrase, secret = sys.argv[1:]
key = Keypair.from_secret(secret)
home = urlparse(anchor).netloc

toml = httpx.get(f"{anchor}/.well-known/stellar.toml").text


def value_of(name):
    return re.search(rf'^{name}\s*=\s*"([^"]+)"', toml, re.M)[1]


web_auth = urlparse(value_of("WEB_AUTH_ENDPOINT"))
url = f"{web_auth.scheme}://{web_auth.netloc}"
visitor = Client(base_url=url)
challenge = get_challenge.sync(client=visitor, account=key.public_key, home_domain=home)
verified = read_challenge_transaction(
    challenge.transaction, value_of("SIGNING_KEY"), home, web_auth.netloc, passphrase
).transaction
verified.sign(key)
token = get_token.sync(client=visitor, body=GetTokenRequest(verified.to_xdr())).token
client = AuthenticatedClient(base_url=url, token=token)


def wait(what, read):
    """Asks until there is an answer."""
    for _ in range(240):
        found = read()
        if found:
            return found
        time.sleep(0.25)
    raise TimeoutError(what)


email = f"{uuid.uuid4()}@example.org"
body = PutSep12CustomerRequest.from_dict({"first_name": "Asha", "last_name": "Rao", "email_address": email})
id = put_sep_12_customer.sync(client=client, body=body).id


def mailed_code():
    received = httpx.get(f"{mails}/email", params={"to.address": email}).json()
    return next((found[0] for found in (re.search(r"\b\d{6}\b", mail["text"]) for mail in received) if found), None)


code = {"id": id, "email_address_verification": wait("the code", mailed_code)}
put_sep_12_customer.sync(client=client, body=PutSep12CustomerRequest.from_dict(code))
wait("KYC", lambda: get_sep_12_customer.sync(client=client, id=id).status == "ACCEPTED")

asset = next(iter(get_sep_6_info.sync(client=visitor).deposit.additional_properties))
begun = deposit.sync(client=client, asset_code=asset, amount="10", type_="upi", account=key.public_key)


def becomes(status):
    wait(status, lambda: get_sep_6_transaction.sync(client=client, id=begun.id).transaction.status == status)
    return status


becomes("pending_user_transfer_start")
assert pay_deposit.sync(begun.id, client=client, body=PayDepositRequest()).rail == "UPI"
print(becomes("completed"))
