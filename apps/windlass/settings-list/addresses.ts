import { group, type Setting } from './setting.ts'

export const addresses: readonly Setting[] = [
  ...group('Addresses', [
    { name: 'PLATFORM_URL', summary: 'public address of the platform API', default: 'by port' },
    { name: 'CONTROL_PLANE_URL', summary: 'control plane', default: 'by port' },
    { name: 'AGGREGATOR_URL', summary: 'public address of the aggregator', default: 'by port' },
    {
      name: 'AGGREGATOR_PUBLIC_URL',
      summary: 'where anchors reach the aggregator with callbacks for wallets’ webhooks',
      default: 'AGGREGATOR_URL',
    },
    {
      name: 'SECRETS_ENDPOINT',
      summary: 'another store that speaks AWS Secrets Manager; ours is then not started',
      default: 'the secrets store',
    },
    {
      name: 'LEDGER_GATEWAY_URL',
      summary: 'the ledger gateway, through which services and anchors of a machine share HORIZON_URL',
      default: 'by port',
    },
    { name: 'SIGNER_URL', summary: 'the signer, which holds anchors’ keys', default: 'by port' },
    { name: 'PROXY_ADMIN_URL', summary: 'the reverse proxy’s administration', default: 'by port' },
    {
      name: 'FOUNDER_CONSOLE_URL',
      summary: 'public address of the founder console',
      default: 'by port',
      decide: 'https://console.example.org',
    },
    {
      name: 'ADMIN_CONSOLE_URL',
      summary: 'public address of the admin console',
      default: 'by port',
      decide: 'https://admin.example.org',
    },
    {
      name: 'CUSTOMER_PORTAL_URL',
      summary: 'public address of the customer portal',
      default: 'by port',
      decide: 'https://account.example.org',
    },
    { name: 'MAIL_CATCHER_URL', summary: 'the mail catcher, for links', default: 'by port' },
    {
      name: 'ALLOWED_ORIGINS',
      summary:
        'further origins that may write with a session cookie, comma separated: `operator=https://…`, `admin=…` or `customer=…` for one realm, without a name for all. A console may always write with the cookie of its own realm, from its public address',
      default: 'the consoles',
    },
    {
      name: 'PROXY_HOSTS',
      summary: 'hosts of the platform and where they lead: `host=address`, comma separated',
      default: '*.localhost',
    },
    {
      name: 'TRUSTED_PROXIES',
      summary: 'addresses of proxies in front whose `X-Forwarded-For` counts',
      default: 'none',
    },
    {
      name: 'CLIENT_CERTIFICATE_HEADER',
      summary:
        'header in which these proxies name the certificate of the client ([travel rule](compliance.md#client-certificates)); they must set it on every request, empty where there is none',
      default: 'none: no client has one',
    },
    {
      name: 'CERTIFICATES_AT',
      summary:
        'where TLS ends in front of the platform, as `host:port`: expiring certificates raise an alert',
      default: '`caddy:443` with `--tls`',
    },
  ]),
  ...group('Ports', [
    ...(
      [
        ['PLATFORM_API_PORT', 4000],
        ['CONTROL_PLANE_PORT', 3002],
        ['AGGREGATOR_PORT', 3005],
        ['FOUNDER_CONSOLE_PORT', 4001],
        ['ADMIN_CONSOLE_PORT', 4002],
        ['CUSTOMER_PORTAL_PORT', 4003],
        ['SECRETS_STORE_PORT', 4566],
        ['LOCAL_NETWORK_PORT', 8000],
        ['LEDGER_GATEWAY_PORT', 8001],
        ['SIGNER_PORT', 8002],
        ['MAIL_CATCHER_PORT', 1080],
        ['SMTP_PORT', 1025],
        ['DASHBOARD_PORT', 8090],
        ['BACKUPS_PORT', 3009],
        ['POSTGRES_PORT', 5432],
      ] as const
    ).map(([name, port]) => ({ name, summary: 'TCP port', default: String(port) })),
    {
      name: 'PROXY_PORT',
      summary: 'TCP port of the reverse proxy',
      default: '80, or 8080 where 80 cannot be bound',
    },
  ]),
]
