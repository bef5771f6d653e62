"""What a Python test would do on the local network: two accounts, an asset, payments, offers, and the history of it all."""

import sys

from stellar_sdk import Asset, Claimant, Keypair, Network, Server, TransactionBuilder
from stellar_sdk.exceptions import BadRequestError, NotFoundError

import requests

horizon = sys.argv[1]
server = Server(horizon)
issuer, holder = Keypair.random(), Keypair.random()
for key in (issuer, holder):
    requests.get(f"{horizon}/friendbot", params={"addr": key.public_key}).raise_for_status()
usd = Asset("USD", issuer.public_key)


def submit(key, add):
    builder = TransactionBuilder(
        server.load_account(key.public_key), Network.TESTNET_NETWORK_PASSPHRASE, base_fee=server.fetch_base_fee()
    )
    transaction = add(builder).set_timeout(30).build()
    transaction.sign(key)
    return server.submit_transaction(transaction)


submit(holder, lambda it: it.append_change_trust_op(usd))
paid = submit(issuer, lambda it: it.append_payment_op(holder.public_key, usd, "100.5").add_text_memo("ünï"))
submit(holder, lambda it: it.append_manage_sell_offer_op(usd, Asset.native(), "10", "2"))
submit(
    holder,
    lambda it: it.append_create_claimable_balance_op(usd, "1", [Claimant(issuer.public_key)]),
)
stored = server.transactions().transaction(paid["hash"]).call()
assert stored["successful"] and stored["memo"] == "ünï", stored
effects = [each["type"] for each in server.effects().for_transaction(paid["hash"]).call()["_embedded"]["records"]]
assert sorted(effects) == ["account_credited", "account_debited"], effects
kinds = [each["type"] for each in server.operations().for_account(holder.public_key).call()["_embedded"]["records"]]
assert kinds == [
    "create_account",
    "change_trust",
    "payment",
    "manage_sell_offer",
    "create_claimable_balance",
], kinds
asks = server.orderbook(usd, Asset.native()).call()["asks"]
assert [(each["price"], each["amount"]) for each in asks] == [("2.0000000", "10.0000000")], asks
try:
    submit(holder, lambda it: it.append_payment_op(Keypair.random().public_key, Asset.native(), "1"))
    raise AssertionError("a payment to nobody was applied")
except (BadRequestError, NotFoundError) as refused:
    assert refused.extras["result_codes"]["operations"] == ["op_no_destination"], refused
for event in server.payments().for_account(holder.public_key).cursor("0").limit(1).stream():
    assert event["type"] == "create_account", event
    break
print("understood")
