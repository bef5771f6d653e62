"""From the list of anchors to a quote and a decision, with a client that openapi-python-client generated."""

import sys

from aggregator import Client
from aggregator.api.anchors import list_anchors
from aggregator.api.quotes import create_quote, get_quote
from aggregator.api.routing import get_decision, route_transaction
from aggregator.models import Quote, QuoteRequest, RouteAnswer, RouteRequest

client = Client(base_url=sys.argv[1])
wish = {"amount": "5", "asset": "USDC", "rail": "UPI", "currency": "INR"}

found = list_anchors.sync(client=client, limit=1)
assert len(found.anchors) == 1
quote = create_quote.sync(client=client, body=QuoteRequest(**wish))
assert isinstance(quote, Quote), quote
known = get_quote.sync(quote.id, client=client)
assert known.sell_amount == quote.sell_amount
route = route_transaction.sync(client=client, body=RouteRequest(**wish))
assert isinstance(route, RouteAnswer), route
decision = get_decision.sync(route.decision_id, client=client)
assert decision.reasoning == route.reasoning
missing = get_quote.sync("none", client=client)
assert missing.code == "quote-not-found"
print("done" if quote.anchor_id == route.anchor_id else "another anchor")
