import { BACKUPS, SERVICES } from './services.ts'

const FLAG = '--sandbox'
/** Browsers refuse 10080, which would be the proxy's. */
const PROXY_PORT = '8180'

/**
 * What `--sandbox` sets where the environment does not: a second stack beside the first on the same machine, with a home,
 * ports and hosts of its own. Cookies know no ports, so its consoles have names of their own too.
 */
function sandboxEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ports = [...SERVICES, BACKUPS].flatMap(({ ports }) =>
    ports.map(([name, port]) => [name, String(port + 10_000)] as const),
  )
  const proxyPort = environment.PROXY_PORT ?? PROXY_PORT
  const consoleAt = (name: string) => `http://${name}.sandbox.localhost:${proxyPort}`
  return {
    ...Object.fromEntries(ports),
    POSTGRES_PORT: '15432',
    PROXY_PORT: proxyPort,
    ANCHOR_PORT_BASE: '30000',
    FOUNDER_CONSOLE_URL: consoleAt('console'),
    ADMIN_CONSOLE_URL: consoleAt('admin'),
    CUSTOMER_PORTAL_URL: consoleAt('account'),
    LIVE_URL: 'http://localhost:4001',
    ...environment,
    // Also beside a home that the environment names: that one is live's.
    WINDLASS_HOME: `${environment.WINDLASS_HOME || '.windlass'}-sandbox`,
  }
}

export const SANDBOX_HELP =
  'With --sandbox: the same for the sandbox beside this stack (docs/guides/sandbox.md).'

/** With these a second platform would run on the first one's databases, keys or network. */
const isOfLive = (name: string, value: string | undefined): boolean =>
  Boolean(value) &&
  (name.endsWith('_DATABASE_URL') ||
    name === 'MASTER_KEY' ||
    name === 'BACKUP_TO' ||
    (name === 'IS_MAINNET' && value === 'true'))

/** The arguments without `--sandbox`, the environment that it asks for, and what of it may be the live stack's. */
export function readSandbox(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const asked = args.includes(FLAG)
  return {
    args: args.filter(each => each !== FLAG),
    environment: asked ? sandboxEnvironment(environment) : environment,
    ofLive: asked ? Object.keys(environment).filter(name => isOfLive(name, environment[name])) : [],
  }
}
