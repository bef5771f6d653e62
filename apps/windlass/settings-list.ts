const PLATFORM = ['platform-api']
const CONTROL = ['control-plane']
const SIGNER = ['signer']
const CONSOLES = ['founder-console', 'admin-console', 'customer-portal']
const AWS_CLIENTS = ['secrets-store', 'platform-api', 'control-plane']

/** One environment variable that operators may set. `NAME_FILE` names a file with its value instead. */
export interface Setting {
  name: string
  group: string
  /** What it does, in a sentence without a full stop. */
  summary: string
  /** Shown in the documentation. */
  default?: string
  /** A secret, and the only parts that receive it. Other settings go to every part. */
  secretOf?: readonly string[]
  /**
   * What the generated base env file holds is for a developer's machine: outside DEPLOYMENT=local the operator has to
   * set it. The text says what a good value is.
   */
  decide?: string
}

/** Every setting of the platform. Documentation, validation and both launchers are derived from it. */
export const SETTINGS: readonly Setting[] = [
  ...group('Deployment', [
    {
      name: 'DEPLOYMENT',
      summary: '`local` relaxes rates and cookies for a developer’s machine',
      default: 'production; `local` in the generated file',
    },
    {
      name: 'IS_MAINNET',
      summary: '`true` on the public Stellar network: refuses every stand-in',
      default: 'false',
    },
    { name: 'WINDLASS_HOME', summary: 'folder of data, logs and the base env file', default: '.windlass' },
    { name: 'BIND_HOST', summary: 'address the services listen on', default: 'localhost' },
    {
      name: 'LOG_LEVEL',
      summary:
        '`trace`, `debug`, `info`, `warn`, `error` or `fatal`; of anchors’ servers from their next start on',
      default: 'info',
    },
    {
      name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      summary:
        'an OpenTelemetry collector (OTLP over HTTP, such as `http://localhost:4318`) that gets traces of all parts and anchors',
      default: 'none: nothing is traced',
    },
    {
      name: 'OTEL_TRACES_SAMPLER',
      summary: 'which traces are recorded, such as `parentbased_traceidratio`',
      default: 'all',
    },
    {
      name: 'OTEL_TRACES_SAMPLER_ARG',
      summary: 'argument of the sampler, such as the share `0.1`',
      default: 'none',
    },
    {
      name: 'COOKIE_SECURE',
      summary: 'overrides whether cookies are `Secure`',
      default: 'all but local http',
    },
    {
      name: 'ALLOW_PRIVATE_ADDRESSES',
      summary: 'whether outgoing requests may reach private addresses',
      default: 'local only',
      decide: 'false, unless anchors or webhooks run in your private network',
    },
  ]),
  ...group('Stellar network', [
    {
      name: 'HORIZON_URL',
      summary: 'Horizon; the local network is then not started',
      default: 'the local network',
      decide: 'https://horizon.stellar.org or another Horizon of your network',
    },
    { name: 'FRIENDBOT_URL', summary: 'faucet of a test network', default: 'the local network’s' },
    {
      name: 'BROWSER_HORIZON_URL',
      summary: 'Horizon of a test network as browsers reach it, for a deposit tried on an anchor’s page',
      default: 'HORIZON_URL',
    },
    {
      name: 'BROWSER_FRIENDBOT_URL',
      summary: 'faucet of a test network as browsers reach it',
      default: 'FRIENDBOT_URL',
    },
    {
      name: 'NETWORK_PASSPHRASE',
      summary: 'passphrase of the network',
      default: 'Test SDF Network ; September 2015',
    },
    {
      name: 'FUNDING_ACCOUNT',
      summary:
        'seed of the account that pays for new accounts where there is no faucet; the signer alone has it',
      secretOf: SIGNER,
    },
    {
      name: 'FUNDING_XLM_PER_HOUR',
      summary: 'XLM that the funding account pays in any hour, for all anchors together',
      default: '1000',
    },
    {
      name: 'MAX_FEE_STROOPS',
      summary:
        'most that is offered for one operation on the ledger, in stroops; the network takes what it needs',
      default: '1000000',
    },
    {
      name: 'HISTORY_HORIZON_URL',
      summary: 'a Horizon with full history, for ledgers that HORIZON_URL no longer has',
    },
    {
      name: 'STELLAR_RPC_URL',
      summary:
        'Stellar RPC by which contract accounts log in at anchors (SEP-45) and are paid; with WEB_AUTH_CONTRACT_ID',
    },
    {
      name: 'WEB_AUTH_CONTRACT_ID',
      summary: 'web authentication contract (`C…`) of the network (SEP-45); with STELLAR_RPC_URL',
    },
    { name: 'EXPLORER_URL', summary: 'explorer whose `/account/G…` pages are linked', default: 'by network' },
    {
      name: 'LOCAL_NETWORK_HOME',
      summary: 'folder of the local network’s ledger',
      default: 'in WINDLASS_HOME',
    },
    {
      name: 'LOCAL_NETWORK_CLOSE_EVERY',
      summary: 'milliseconds between ledgers of the local network, `at-once` or `on-demand`',
      default: '1000',
    },
    {
      name: 'LOCAL_NETWORK_PROTOCOL',
      summary: 'protocol version that the local network declares, 19 to 26',
      default: '19',
    },
    {
      name: 'LOCAL_NETWORK_ALLOWED_HOSTS',
      summary: 'further host names at which friendbot answers, comma separated',
    },
  ]),
  ...group('Administrator and mail', [
    {
      name: 'ADMIN_USERNAME',
      summary: 'name of the first owner among the administrators; owners invite the others in the console',
      secretOf: PLATFORM,
      decide: 'the administrator’s email address',
    },
    {
      name: 'ADMIN_PASSWORD',
      summary:
        'password of the first owner among the administrators, at least 12 characters and hard to guess',
      secretOf: PLATFORM,
      decide: 'a password of at least 12 characters that is hard to guess and used nowhere else',
    },
    {
      name: 'ADMIN_SECOND_FACTOR',
      summary: '`required` or `optional`: whether administrators need a passkey or an authenticator app',
      default: 'required; optional where DEPLOYMENT is local',
    },
    {
      name: 'SMTP_URL',
      summary: 'mail server; the mail catcher is then not started',
      default: 'the mail catcher',
      secretOf: PLATFORM,
      decide: 'smtps://user:password@mail.example.org',
    },
    {
      name: 'MAIL_FROM',
      summary: 'sender of emails',
      default: 'Windlass <no-reply@windlass.localhost>',
      decide: 'a sender that your mail server may use, such as "Windlass <no-reply@example.org>"',
    },
  ]),
  ...group('Identity verification', [
    { name: 'KYC_PROVIDER', summary: '`mock` (tests only) or `didit`', decide: 'didit' },
    {
      name: 'ALLOW_MOCK_KYC',
      summary: '`true` lets the mock run, which approves everybody',
      default: 'false',
    },
    { name: 'PROVIDER_API_KEY', summary: 'the provider’s API key', secretOf: [...PLATFORM, ...CONTROL] },
    { name: 'PROVIDER_API_URL', summary: 'the provider’s API, where it is not the public one' },
    { name: 'PROVIDER_WORKFLOW_ID', summary: 'the provider’s workflow' },
    {
      name: 'PROVIDER_WEBHOOK_SECRET',
      summary: 'secret of the provider’s webhooks; two, comma separated, while it is rotated',
      secretOf: [...PLATFORM, ...CONTROL],
      decide: 'the webhook secret that the provider shows',
    },
  ]),
  ...group('Exchange rates', [
    {
      name: 'FX_RATE_INR_USDC',
      summary: 'rupees for one USDC',
      default: '88.50',
      decide: 'a rate that you keep up to date',
    },
    { name: 'FX_RATE_EUR_USDC', summary: 'euros for one USDC; any `FX_RATE_<code>_USDC` works' },
    {
      name: 'FX_RATES_AT',
      summary:
        'when the fixed rates were so (ISO 8601): from `FX_RATES_MAX_AGE_SECONDS` after it nothing is quoted by them',
      default: 'none: they have no age',
    },
    {
      name: 'FX_RATES_URLS',
      summary:
        'addresses of exchange rates (JSON), separated by commas, in place of the fixed ones ([format](rails.md#exchange-rates))',
    },
    { name: 'FX_RATES_PATH', summary: 'a file of exchange rates in place of addresses, in the same format' },
    {
      name: 'FX_RATES_QUORUM',
      summary: 'how many addresses have to agree on a rate',
      default: 'more than half',
    },
    {
      name: 'FX_RATES_TOLERANCE_PERCENT',
      summary: 'how far rates that agree may be from their median',
      default: '1',
    },
    {
      name: 'FX_RATES_MAX_AGE_SECONDS',
      summary: 'rates that are older count as unknown: nothing is quoted by them',
      default: '3600',
    },
  ]),
  ...group('Anchors', [
    {
      name: 'ANCHOR_DOMAIN_SUFFIX',
      summary: 'domain under which every anchor gets a host',
      default: 'anchors.localhost',
      decide: 'a domain with a wildcard DNS record that no console shares',
    },
    {
      name: 'ANCHOR_INGRESS',
      summary: 'where hosts under the suffix are reached from inside',
      default: 'the reverse proxy',
    },
    { name: 'ANCHOR_PUBLIC_PORT', summary: 'port of anchors’ home domains', default: 'the proxy’s' },
    {
      name: 'ANCHOR_RUNTIME',
      summary: '`processes`, `docker` or `swarm`; the public network needs one of the last two',
      default: 'processes; docker in containers',
    },
    {
      name: 'ANCHOR_PLACEMENT',
      summary:
        'which nodes of a swarm run anchors’ servers: constraints such as `node.labels.anchors==true`, separated by commas',
      default: 'all',
    },
    {
      name: 'CLAMD_ADDRESS',
      summary:
        'ClamAV’s clamd, which scans files that customers upload: a socket’s path, or `host:port` (containers)',
      default: 'files are not scanned',
    },
    {
      name: 'STATEMENTS_FOLDER',
      summary:
        'folder from which bank statements are read: `<folder>/<subdomain of the anchor>/<rail>`; in containers a path on the engine’s machine, where the subdomain’s folder belongs to uid 1000',
      default: 'statements are uploaded',
    },
    { name: 'ANCHOR_PORT_BASE', summary: 'first port of anchors’ processes', default: '20000' },
    { name: 'ANCHOR_MEMORY_MB', summary: 'heap of an anchor’s server', default: '192' },
    {
      name: 'ANCHOR_SPARES',
      summary:
        'processes of each of an anchor’s two servers that have loaded their program and wait for an anchor that starts or wakes; about 75 MB each',
      default: '1',
    },
    { name: 'ANCHOR_IMAGE', summary: 'image of anchors’ servers', default: 'windlass:<version>' },
    {
      name: 'ANCHOR_PROTOCOL_IMAGE',
      summary: 'another image for anchors’ SEP servers; its own command starts it',
      default: 'ANCHOR_IMAGE',
    },
    { name: 'ANCHOR_NETWORK', summary: 'container network of anchors', default: 'platform-net' },
    {
      name: 'ANCHOR_VOLUME',
      summary: 'engine volume mounted as WINDLASS_HOME where the control plane is a container',
    },
    {
      name: 'ANCHOR_PUBLISH_PORTS',
      summary: '`true` maps containers to ports of 127.0.0.1',
      default: 'false',
    },
    { name: 'ANCHOR_PROGRAMS', summary: 'folder of bundled servers', default: 'bundled at the start' },
    { name: 'DOCKER_HOST', summary: 'address of the Docker Engine', default: 'unix:///var/run/docker.sock' },
    {
      name: 'REQUIRE_DOMAIN_PROOF',
      summary: 'whether only anchors whose discovery file carries their key are routed',
      default: 'IS_MAINNET',
    },
  ]),
  ...group('Work', [
    { name: 'PROVISIONING_CONCURRENCY', summary: 'anchors provisioned at the same time', default: '4' },
    {
      name: 'LEASE_SECONDS',
      summary: 'seconds after which another worker continues a silent job',
      default: '15',
    },
    { name: 'RECONCILE_SECONDS', summary: 'seconds between looks at running anchors', default: '5' },
    {
      name: 'HEALTHY_WITHIN_SECONDS',
      summary: 'seconds within which a started server must be healthy',
      default: '45',
    },
    {
      name: 'LEDGER_CHECK_SECONDS',
      summary: 'seconds between looks whether the test network was reset',
      default: '60',
    },
    {
      name: 'ANCHOR_SLEEP_AFTER_SECONDS',
      summary: 'seconds without requests and work after which an anchor’s servers sleep; `0`: they never do',
      default: '0',
    },
    {
      name: 'ANCHOR_SLEEP_GRACE_SECONDS',
      summary: 'seconds that its servers still run after requests were sent elsewhere',
      default: '30',
    },
    { name: 'ANCHORS_ALWAYS_ON', summary: 'subdomains of anchors that never sleep, with commas between' },
    {
      name: 'ANCHORS_AWAKE',
      summary: 'while as many anchors are awake, requests from outside wake no further ones',
      default: 'one for each 250 MiB of the machine’s memory, at least 10',
    },
    {
      name: 'ANCHOR_WAKES_PER_CLIENT',
      summary: 'different anchors that one client’s network can wake in an hour',
      default: '20 (1000 on a developer’s machine)',
    },
    { name: 'HEALTH_POLL_SECONDS', summary: 'seconds between the aggregator’s health checks', default: '15' },
    {
      name: 'EXTERNAL_ANCHORS',
      summary: 'anchors of other platforms in the registry, at most; `0` closes it to them',
      default: '1000',
    },
    {
      name: 'EXTERNAL_ANCHORS_PER_SITE',
      summary: 'of them below one registered domain, at most',
      default: '5 (1000 on a developer’s machine)',
    },
    { name: 'RAZORPAY_URL', summary: 'where Razorpay’s API is; for tests, ignored in production' },
    { name: 'FAULT_POINT', summary: 'kills a service at a named point; for tests, ignored in production' },
  ]),
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
      summary: 'origins that may write with a session cookie, comma separated',
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
        ['POSTGRES_PORT', 5432],
      ] as const
    ).map(([name, port]) => ({ name, summary: 'TCP port', default: String(port) })),
    {
      name: 'PROXY_PORT',
      summary: 'TCP port of the reverse proxy',
      default: '80, or 8080 where 80 cannot be bound',
    },
  ]),
  ...group('Databases', [
    {
      name: 'POSTGRES_PASSWORD',
      summary: 'superuser of the embedded Postgres; changed here, it is changed there at the next start',
      secretOf: [],
    },
    {
      name: 'PLATFORM_DATABASE_URL',
      summary: 'database of the platform API, in a Postgres 15 or newer of your own; so are the following',
      default: 'embedded',
      secretOf: PLATFORM,
    },
    {
      name: 'CONTROL_PLANE_DATABASE_URL',
      summary: 'database of the control plane',
      default: 'embedded',
      secretOf: CONTROL,
    },
    {
      name: 'AGGREGATOR_DATABASE_URL',
      summary: 'database of the aggregator',
      default: 'embedded',
      secretOf: ['aggregator'],
    },
    {
      name: 'SECRETS_STORE_DATABASE_URL',
      summary: 'database of the secrets store',
      default: 'embedded',
      secretOf: ['secrets-store'],
    },
    {
      name: 'SIGNER_DATABASE_URL',
      summary: 'database of the signer',
      default: 'embedded',
      secretOf: SIGNER,
    },
    {
      name: 'ANCHORS_DATABASE_URL',
      summary: 'role that creates a database for each anchor',
      default: 'embedded',
      secretOf: CONTROL,
    },
  ]),
  ...group('Backups', [
    {
      name: 'BACKUP_TO',
      summary:
        'folder for scheduled backups, best on another machine’s disk, or a bucket (`s3://bucket/folder`); by default also where the `backup` command writes',
      default: 'none are scheduled; `backup` writes to backups in WINDLASS_HOME',
    },
    {
      name: 'BACKUP_S3_ENDPOINT',
      summary: 'where the bucket is, such as `https://s3.example.com`; for stores other than AWS',
      default: 'AWS',
    },
    { name: 'BACKUP_S3_REGION', summary: 'region of the bucket', default: 'us-east-1' },
    {
      name: 'BACKUP_S3_ACCESS_KEY_ID',
      summary: 'key that may list, read, write and remove the bucket’s objects',
      secretOf: [],
    },
    { name: 'BACKUP_S3_SECRET_ACCESS_KEY', summary: 'its secret', secretOf: [] },
    {
      name: 'BACKUP_ENCRYPT_TO',
      summary: 'public keys (`age1…`, comma separated) whose owners can read backups',
    },
    {
      name: 'BACKUP_SIGNING_KEY',
      summary:
        'signs backups (Ed25519, 32 bytes in base64url); `npm run backup -- signer` prints its public key',
      secretOf: [],
    },
    { name: 'BACKUP_EVERY_HOURS', summary: 'hours between scheduled backups', default: '24' },
    { name: 'BACKUP_KEEP', summary: 'how many scheduled backups are kept', default: '7' },
    {
      name: 'BACKUP_LOG_SECONDS',
      summary:
        'seconds between copies of Postgres’ log to BACKUP_TO, by which any time can be restored; `0` stores none',
      default: '60',
    },
  ]),
  ...group('Keys of ledger accounts', [
    {
      name: 'SIGNER_BACKEND',
      summary:
        'where the keys of new anchors are made: `local` (encrypted in the signer’s database), `vault` or `aws-kms`',
      default: 'local',
    },
    { name: 'SIGNER_KEY', summary: 'encrypts local keys, as MASTER_KEY', secretOf: SIGNER },
    {
      name: 'SIGNER_SECRET',
      summary: 'proves the control plane to the signer',
      secretOf: [...SIGNER, ...CONTROL],
    },
    { name: 'VAULT_ADDR', summary: 'HashiCorp Vault, for `vault`' },
    {
      name: 'VAULT_TOKEN',
      summary:
        'token for Vault; `VAULT_TOKEN_FILE` is read before each request, so that an agent can renew it',
      secretOf: SIGNER,
    },
    {
      name: 'VAULT_CA',
      summary:
        'certificate (PEM) of the authority that signed Vault’s own, where it is not a public one; `VAULT_CA_FILE` names its file',
      secretOf: SIGNER,
    },
    { name: 'VAULT_TRANSIT_MOUNT', summary: 'path of Vault’s transit secrets engine', default: 'transit' },
    { name: 'KMS_REGION', summary: 'AWS region, for `aws-kms`' },
    { name: 'KMS_ENDPOINT', summary: 'address of AWS KMS', default: 'AWS itself' },
    {
      name: 'KMS_ACCESS_KEY_ID',
      summary: 'credentials for AWS KMS',
      default: 'the machine’s role',
      secretOf: SIGNER,
    },
    { name: 'KMS_SECRET_ACCESS_KEY', summary: 'credentials for AWS KMS', secretOf: SIGNER },
  ]),
  ...group('Keys and secrets between services', [
    {
      name: 'SERVICE_SECRET',
      summary: 'proves platform services to each other',
      secretOf: ['platform-api', 'control-plane', 'aggregator', 'reverse-proxy'],
    },
    {
      name: 'PROXY_SECRET',
      summary: 'proves the reverse proxy',
      secretOf: ['reverse-proxy', 'platform-api', 'aggregator', 'control-plane', ...CONSOLES],
    },
    {
      name: 'MASTER_KEY',
      summary: 'encrypts anchors’ secrets: `v2:<base64>,v1:<base64>`, the newest first',
      secretOf: CONTROL,
    },
    {
      name: 'PLATFORM_KEY',
      summary:
        'encrypts emails and secrets in the platform’s database and signs its audit log, as MASTER_KEY',
      secretOf: PLATFORM,
    },
    {
      name: 'AUDIT_LEDGER_KEY',
      summary: 'seed of the account whose data entry on the ledger names the last entry of the audit log',
      default: 'none: only signed; locally an account of its own',
      secretOf: PLATFORM,
    },
    {
      name: 'AUDIT_LEDGER_ACCOUNT',
      summary: 'that account, for `audit:verify` where the key is not',
      default: 'of AUDIT_LEDGER_KEY',
    },
    {
      name: 'AGGREGATOR_KEY',
      summary:
        'encrypts anchors’ summary secrets and the secrets of wallets’ webhooks in the aggregator’s database, as MASTER_KEY',
      default: 'a key that follows from SERVICE_SECRET',
      secretOf: ['aggregator'],
    },
    {
      name: 'SECRETS_STORE_KEY',
      summary: 'encrypts the secrets store, as MASTER_KEY',
      secretOf: ['secrets-store'],
    },
    { name: 'OPERATOR_TOKEN_KEY', summary: 'signs operators’ sessions', secretOf: PLATFORM },
    { name: 'CUSTOMER_TOKEN_KEY', summary: 'signs customers’ sessions', secretOf: PLATFORM },
    { name: 'ADMIN_TOKEN_KEY', summary: 'signs administrators’ sessions', secretOf: PLATFORM },
    { name: 'OTP_KEY', summary: 'keys the hashes of one-time codes', secretOf: PLATFORM },
    { name: 'AWS_REGION', summary: 'region of the secrets store', default: 'local' },
    { name: 'AWS_ACCESS_KEY_ID', summary: 'signs requests to the secrets store', secretOf: AWS_CLIENTS },
    { name: 'AWS_SECRET_ACCESS_KEY', summary: 'signs requests to the secrets store', secretOf: AWS_CLIENTS },
    { name: 'AWS_SESSION_TOKEN', summary: 'session of temporary AWS credentials', secretOf: AWS_CLIENTS },
  ]),
]

function group(name: string, settings: Omit<Setting, 'group'>[]): Setting[] {
  return settings.map(setting => ({ ...setting, group: name }))
}

const BY_NAME = new Map(SETTINGS.map(setting => [setting.name, setting]))
const EXCHANGE_RATE = /^FX_RATE_[A-Z]{3}_USDC$/

/** The setting that a variable sets, directly or by `NAME_FILE`; undefined for a foreign variable. */
export function settingOf(variable: string): Setting | undefined {
  if (EXCHANGE_RATE.test(variable)) return BY_NAME.get('FX_RATE_EUR_USDC')
  return BY_NAME.get(variable) ?? BY_NAME.get(variable.replace(/_FILE$/, ''))
}

/** The guide's tables, one for each group. */
export function settingsAsMarkdown(): string {
  const groups = Map.groupBy(SETTINGS, setting => setting.group)
  return [...groups]
    .map(([title, settings]) => {
      const rows = settings.map(
        ({ name, summary, default: standard = '', decide, secretOf }) =>
          `| ${name} | ${summary}${secretOf ? ' (secret)' : ''}${decide ? `. **Production:** ${decide}` : ''} | ${standard} |`,
      )
      return [`## ${title}`, '', '| Variable | What it does | Default |', '|---|---|---|', ...rows].join('\n')
    })
    .join('\n\n')
}
