import { SIGNER, group, type Setting } from './setting.ts'

export const deployment: readonly Setting[] = [
  ...group('Deployment', [
    {
      name: 'DEPLOYMENT',
      summary: '`local` relaxes rates and cookies for a developer’s machine',
      default: 'production; `local` in the generated file',
    },
    {
      name: 'IS_MAINNET',
      summary: '`true` on the public Stellar network: refuses every mock and test service',
      default: 'false',
    },
    {
      name: 'SANDBOX_URL',
      summary:
        'at a live installation: the founder console of the sandbox beside it ([a sandbox](sandbox.md)), to which every console shows the way',
      default: 'none',
    },
    {
      name: 'LIVE_URL',
      summary:
        'makes this installation a sandbox: the founder console of the live one. Each page says that no real money moves here; refused with `IS_MAINNET=true`',
      default: 'none; `npm start -- --sandbox` sets it',
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
      name: 'HTTPS_PROXY',
      summary:
        'the proxy by which parts and anchors’ servers leave the network for `https` addresses, such as `http://proxy.example:3128` ([what goes through it](fetched.md#through-a-proxy))',
      default: 'none: they connect directly',
    },
    { name: 'HTTP_PROXY', summary: 'the same for `http` addresses', default: 'none' },
    {
      name: 'NO_PROXY',
      summary: 'hosts that are reached directly: names, with a dot before them all below, addresses, `*`',
      default: 'this machine and parts of Windlass, always',
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
      summary:
        'a Horizon with full history, for ledgers that HORIZON_URL no longer has; on the public network of another host',
    },
    {
      name: 'SECOND_HORIZON_URL',
      summary:
        'another Horizon, of someone else: payments, failures, resets and who signs for an account count once it agrees; the public network needs it or SECOND_RPC_URL',
    },
    {
      name: 'SECOND_RPC_URL',
      summary: 'a Stellar RPC in place of SECOND_HORIZON_URL',
    },
    {
      name: 'SECOND_SOURCE_LIMIT',
      summary: 'units of an asset up to which a payment is believed from HORIZON_URL alone',
      default: '0',
    },
    {
      name: 'HISTORY_ARCHIVES',
      summary:
        'history archives, separated by commas, by which payments of large withdrawals are proven before money leaves; `none`: nothing is proven',
      default: 'archives of three organizations on the public network, else none',
    },
    {
      name: 'VALIDATORS',
      summary:
        'validators whose signatures prove, by organization: `example.org=G…,G…,G…;example.com=G…,G…,G…`',
      default: 'the tier-1 organizations on the public network, SDF’s on the test network',
    },
    {
      name: 'PROOF_LIMIT',
      summary: 'units of an asset up to which a withdrawal is paid out without a proof',
      default: '1000',
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
      summary: 'protocol of the local network’s ledgers, 19 to 28',
      default: '28',
    },
    {
      name: 'LOCAL_NETWORK_ALLOWED_HOSTS',
      summary: 'further host names at which friendbot answers, comma separated',
    },
  ]),
]
