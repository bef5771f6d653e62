"""An anchor on django-polaris, the Stellar Development Foundation's reference server, in one process and in memory.

Usage: python anchor.py PORT HORIZON_URL. It sells TEST for BRL over PIX in Brazil and prints "ready" once it serves.
"""

import os
import sys
from decimal import Decimal
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from stellar_sdk import Keypair

PORT, HORIZON_URL = sys.argv[1:3]
HOST_URL = f"http://127.0.0.1:{PORT}"
ISSUER = Keypair.random().public_key

os.environ.update(
    ACTIVE_SEPS="sep-1,sep-10,sep-24,sep-38",
    SIGNING_SEED=Keypair.random().secret,
    SERVER_JWT_KEY="a key of a trial",
    HOST_URL=HOST_URL,
    LOCAL_MODE="True",
    HORIZON_URI=HORIZON_URL,
)
settings.configure(
    SECRET_KEY="a key of a trial",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF="polaris.urls",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        "django.contrib.auth",
        "django.contrib.sessions",
        "django.contrib.staticfiles",
        "corsheaders",
        "rest_framework",
        "polaris",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "corsheaders.middleware.CorsMiddleware",
        "polaris.middleware.TimezoneMiddleware",
    ],
    SESSION_COOKIE_SECURE=True,
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    STATIC_URL="/static/",
    USE_TZ=True,
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from polaris.integrations import QuoteIntegration, register_integrations  # noqa: E402
from polaris.models import Asset, DeliveryMethod, ExchangePair, OffChainAsset  # noqa: E402


class Prices(QuoteIntegration):
    def get_price(self, *args, **kwargs):
        return Decimal("5.25")


def discovery(_request):
    return {
        "DOCUMENTATION": {"ORG_NAME": "Polaris trial"},
        "CURRENCIES": [{"code": "TEST", "issuer": ISSUER, "anchor_asset": "BRL"}],
    }


call_command("migrate", verbosity=0)
register_integrations(quote=Prices(), toml=discovery)
Asset.objects.create(
    code="TEST",
    issuer=ISSUER,
    sep24_enabled=True,
    sep38_enabled=True,
    deposit_min_amount=1,
    deposit_max_amount=5000,
    deposit_fee_fixed=Decimal("0.5"),
    deposit_fee_percent=Decimal("1"),
)
brl = OffChainAsset.objects.create(scheme="iso4217", identifier="BRL", country_codes="BR")
brl.delivery_methods.add(
    DeliveryMethod.objects.create(
        type=DeliveryMethod.TYPE.sell, name="PIX", description="PIX transfer"
    )
)
ExchangePair.objects.create(sell_asset="iso4217:BRL", buy_asset=f"stellar:TEST:{ISSUER}")


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


with make_server("127.0.0.1", int(PORT), get_wsgi_application(), handler_class=Quiet) as server:
    print("ready", flush=True)
    server.serve_forever()
