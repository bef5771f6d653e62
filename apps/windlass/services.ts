/** One part of the stack that runs as a process. */
export interface Service {
  name: string
  title: string
  /** The program that Node runs, relative to the checkout. */
  script: string
  /** Node runs its bundle. A release without bundles does not say so, and runs the script itself. */
  bundled?: true
  /** Node's own, before the program. */
  flags?: readonly string[]
  /** Variables that give its TCP ports, and what each defaults to; the first carries the health check. */
  ports: readonly (readonly [variable: string, fallback: number])[]
  /** Path that answers 200 once it is ready. */
  health: string
  /** Parts that must be healthy before it starts. */
  needs: readonly string[]
  /** When one of these is set, it names an external service and this one is not started. */
  replacedBy: readonly string[]
  /** What it serves to browsers, which Vite builds first: a folder of the checkout. */
  frontEnd?: string
  /** Takes its sockets from the launcher, so that a new process can take over without a request lost. */
  handsOver?: boolean
  /** Starts anchors' servers, which are bundled first. */
  startsAnchors?: boolean
  /** Gets other parts' secrets too. */
  hasAllSettings?: true
  /** Addresses its database, whose tables its program makes with `--migrate` too. */
  database?: string
  /** Id of the user, and of the group, that it runs as where Windlass is started as root. Never given to another one. */
  user?: number
  /** Folders of WINDLASS_HOME that it writes. */
  folders?: readonly string[]
}

/**
 * V8 by default keeps 128 MB for young objects, and collects old ones when there are four times as many as were kept.
 * These hold the aggregator with 10,000 anchors below 512 MB; its answers take no longer. What a request makes is young
 * even where V8 takes it for long-lived (ADR 10).
 */
export const AGGREGATOR_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=30',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
] as const

const SOURCES: readonly Service[] = [
  {
    name: 'secrets-store',
    title: 'secrets store',
    script: 'apps/secrets-store/main.ts',
    ports: [['SECRETS_STORE_PORT', 4566]],
    health: '/health',
    needs: ['postgres'],
    replacedBy: ['SECRETS_ENDPOINT'],
    database: 'SECRETS_STORE_DATABASE_URL',
    user: 19_901,
    handsOver: true,
  },
  {
    name: 'local-network',
    title: 'Stellar network',
    script: 'packages/local-network/main.ts',
    ports: [['LOCAL_NETWORK_PORT', 8000]],
    health: '/',
    needs: [],
    replacedBy: ['HORIZON_URL', 'FRIENDBOT_URL'],
    user: 19_902,
    folders: ['local-network'],
  },
  {
    name: 'ledger-gateway',
    title: 'ledger gateway',
    script: 'apps/ledger-gateway/main.ts',
    ports: [['LEDGER_GATEWAY_PORT', 8001]],
    health: '/health',
    needs: ['local-network'],
    replacedBy: [],
    user: 19_903,
    handsOver: true,
  },
  {
    name: 'signer',
    title: 'signer',
    script: 'apps/signer/main.ts',
    ports: [['SIGNER_PORT', 8002]],
    health: '/health',
    needs: ['postgres'],
    replacedBy: [],
    database: 'SIGNER_DATABASE_URL',
    user: 19_904,
    handsOver: true,
  },
  {
    name: 'mail-catcher',
    title: 'mail catcher',
    script: 'apps/mail-catcher/main.ts',
    ports: [
      ['MAIL_CATCHER_PORT', 1080],
      ['SMTP_PORT', 1025],
    ],
    health: '/health',
    needs: [],
    replacedBy: ['SMTP_URL'],
    user: 19_905,
    folders: ['mail'],
  },
  {
    name: 'reverse-proxy',
    title: 'reverse proxy',
    script: 'apps/reverse-proxy/main.ts',
    ports: [
      ['DASHBOARD_PORT', 8090],
      ['PROXY_PORT', 80],
    ],
    health: '/health',
    needs: [],
    replacedBy: [],
    user: 19_906,
    handsOver: true,
    folders: ['proxy'],
  },
  {
    name: 'platform-api',
    title: 'platform API',
    script: 'apps/platform-api/main.ts',
    ports: [['PLATFORM_API_PORT', 4000]],
    health: '/health',
    needs: ['postgres', 'secrets-store'],
    replacedBy: [],
    database: 'PLATFORM_DATABASE_URL',
    user: 19_907,
    handsOver: true,
  },
  {
    name: 'control-plane',
    title: 'control plane',
    script: 'apps/control-plane/main.ts',
    ports: [['CONTROL_PLANE_PORT', 3002]],
    health: '/health',
    needs: ['postgres', 'secrets-store', 'ledger-gateway', 'reverse-proxy', 'signer'],
    replacedBy: [],
    database: 'CONTROL_PLANE_DATABASE_URL',
    user: 19_908,
    handsOver: true,
    folders: ['anchors', 'exports'],
    startsAnchors: true,
  },
  {
    name: 'aggregator',
    title: 'aggregator',
    script: 'apps/aggregator/main.ts',
    flags: AGGREGATOR_FLAGS,
    ports: [['AGGREGATOR_PORT', 3005]],
    health: '/health',
    needs: ['postgres'],
    replacedBy: [],
    database: 'AGGREGATOR_DATABASE_URL',
    user: 19_909,
    handsOver: true,
    frontEnd: 'packages/ramp',
  },
  {
    name: 'founder-console',
    title: 'founder console',
    script: 'apps/founder-console/main.ts',
    ports: [['FOUNDER_CONSOLE_PORT', 4001]],
    health: '/',
    needs: [],
    replacedBy: [],
    user: 19_910,
    handsOver: true,
    frontEnd: 'apps/founder-console',
  },
  {
    name: 'admin-console',
    title: 'admin console',
    script: 'apps/admin-console/main.ts',
    ports: [['ADMIN_CONSOLE_PORT', 4002]],
    health: '/',
    needs: [],
    replacedBy: [],
    user: 19_911,
    handsOver: true,
    frontEnd: 'apps/admin-console',
  },
  {
    name: 'customer-portal',
    title: 'customer portal',
    script: 'apps/customer-portal/main.ts',
    ports: [['CUSTOMER_PORTAL_PORT', 4003]],
    health: '/',
    needs: [],
    replacedBy: [],
    user: 19_912,
    handsOver: true,
    frontEnd: 'apps/customer-portal',
  },
]

/** The stack in display order; it is stopped in the reverse order of `needs`. */
export const SERVICES: readonly Service[] = SOURCES.map(service => ({ ...service, bundled: true }))

/** Backs up the Postgres that Windlass starts, and watches its disks: with all settings, as the launcher's own user. */
export const BACKUPS: Service = {
  name: 'backups',
  title: 'backups',
  script: 'apps/windlass/backups/main.ts',
  bundled: true,
  ports: [['BACKUPS_PORT', 3009]],
  health: '/health',
  needs: ['postgres'],
  replacedBy: [],
  handsOver: true,
  hasAllSettings: true,
}

/** Databases of the stack: the variable that addresses each, and the role that owns it. */
export const DATABASES = [
  { variable: 'PLATFORM_DATABASE_URL', name: 'windlass_platform' },
  { variable: 'CONTROL_PLANE_DATABASE_URL', name: 'windlass_control_plane' },
  { variable: 'AGGREGATOR_DATABASE_URL', name: 'windlass_aggregator' },
  { variable: 'SECRETS_STORE_DATABASE_URL', name: 'windlass_secrets_store' },
  { variable: 'SIGNER_DATABASE_URL', name: 'windlass_signer' },
  /** Its role creates a database and a role for each anchor. */
  { variable: 'ANCHORS_DATABASE_URL', name: 'windlass_anchors', createsDatabases: true },
] as const
