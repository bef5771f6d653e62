import { group, type Setting } from './setting.ts'

export const anchors: readonly Setting[] = [
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
    {
      name: 'SANCTIONS_LIST_URLS',
      summary:
        'addresses from which sanctions lists are fetched twice a day: `ofac-sdn`, `ofac-consolidated`, `un-consolidated` and `eu-consolidated`, each with `=https://…`, separated by commas',
      default: 'none: people load lists',
    },
    {
      name: 'SANCTIONS_LIST_MAX_AGE_DAYS',
      summary: 'days after which a sanctions list that nobody loaded or found unchanged alerts',
      default: '7',
    },
    {
      name: 'SCREENING_WITHOUT_LIST',
      summary: '`wait` or `pass`: what payments on the public network do while no sanctions list is loaded',
      default: 'wait',
    },
    { name: 'ANCHOR_PORT_BASE', summary: 'first port of anchors’ processes', default: '20000' },
    { name: 'ANCHOR_MEMORY_MB', summary: 'heap of an anchor’s server', default: '192' },
    {
      name: 'ANCHOR_SPARES',
      summary:
        'processes of each of an anchor’s two servers that have loaded their program and wait for an anchor that starts or wakes; about 95 MB each; with `ANCHOR_RUNTIME=processes` only',
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
      summary:
        'seconds between looks whether the test network was reset, and at the balances of sleeping anchors while the ledger gateway cannot answer',
      default: '60',
    },
    {
      name: 'ANCHOR_SLEEP_AFTER_SECONDS',
      summary: 'seconds without requests and work after which an anchor’s servers sleep; `0`: they never do',
      default: '0',
    },
    {
      name: 'ANCHOR_SLEEP_GRACE_SECONDS',
      summary:
        'seconds that an anchor’s servers keep running after it fell asleep, so that late requests are answered',
      default: '45',
    },
    {
      name: 'ANCHORS_ALWAYS_ON',
      summary:
        'subdomains of anchors that never sleep (`lotus,mumbai`); one that sleeps is woken at the start',
    },
    {
      name: 'ANCHORS_AWAKE',
      summary:
        'most anchors that requests from clients can have awake at a time; payments and due work wake anchors up to half of it, and four in each round. Where more than three quarters are awake, those that were used the longest ago fall asleep, after 30 seconds without use',
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
      summary: 'most external anchors below one registered domain',
      default: '5 (1000 on a developer’s machine)',
    },
    {
      name: 'RAIL_PROVIDER_URL',
      summary: 'where the API of rails’ provider is; for tests, ignored in production',
    },
    { name: 'FAULT_POINT', summary: 'kills a service at a named point; for tests, ignored in production' },
  ]),
]
