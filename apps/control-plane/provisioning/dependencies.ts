import { getHealth } from '@windlass/contracts/health.ts'
import { listRoutes } from '@windlass/contracts/internal/proxy-routes.ts'
import type { Deps } from '../deps.ts'

/** What a stage needs that is outside the control plane. */
interface Dependency {
  /** The beginning of a sentence. */
  name: string
  /** Resolves when it answers; throws while it is down. */
  probe(deps: Deps): Promise<unknown>
}

const TIMEOUT_MS = 10_000
/** A ledger closes every six seconds. */
const SAME_TIME_SECONDS = 60
const timeout = () => AbortSignal.timeout(TIMEOUT_MS)

const ledger: Dependency = { name: 'The Stellar network', probe: deps => deps.horizon.head() }

/** Dependencies by the code of the stage error that their outage causes. */
export const dependencies: ReadonlyMap<string, Dependency> = new Map([
  ['ledger-unavailable', ledger],
  ['submission-unconfirmed', ledger],
  ['faucet-unavailable', { name: 'The faucet', probe: probeFaucet }],
  [
    'database-unavailable',
    { name: 'The database server', probe: deps => deps.anchorDatabases.query('select 1') },
  ],
  [
    'proxy-unavailable',
    {
      name: 'The reverse proxy',
      probe: deps => deps.proxies.all(proxy => proxy.call(listRoutes, { signal: timeout() })),
    },
  ],
  [
    'platform-unavailable',
    { name: 'The platform', probe: deps => deps.platform.call(getHealth, { signal: timeout() }) },
  ],
  [
    'signer-unavailable',
    { name: 'The signer', probe: deps => deps.signer.call(getHealth, { signal: timeout() }) },
  ],
  ['clocks-differ', { name: 'The time of the Stellar network', probe: probeTime }],
  ['secrets-store-unavailable', { name: 'The secrets store', probe: probeSecretsStore }],
  [
    'engine-unreachable',
    { name: 'The container engine', probe: deps => deps.runtime.inspect('probe', 'sep') },
  ],
])

/** The clock of this machine is the signer's, or compared with it (docs/runbooks/WindlassClocksDiffer.md). */
async function probeTime({ horizon }: Deps): Promise<void> {
  const { closedAt } = await horizon.head()
  const seconds = (Date.now() - closedAt.getTime()) / 1_000
  if (Math.abs(seconds) > SAME_TIME_SECONDS) throw new Error(`the last ledger closed ${seconds} s ago`)
}

/** Without an address a friendbot refuses (400) when it is up; it is asked for nothing. */
async function probeFaucet({ config }: Deps): Promise<void> {
  const { friendbotUrl } = config.ledger
  if (!friendbotUrl) return
  const response = await fetch(friendbotUrl, { redirect: 'manual', signal: timeout() })
  await response.body?.cancel()
  if (response.status >= 500 || response.status === 429) {
    throw new Error(`the faucet answered ${response.status}`)
  }
}

/** A refusal is an answer too, as AWS gives where a role may read some secrets alone. */
async function probeSecretsStore({ readSecret }: Deps): Promise<void> {
  await readSecret('windlass/probe').catch((error: { $metadata?: { httpStatusCode?: number } }) => {
    const status = error.$metadata?.httpStatusCode
    if (status === undefined || status >= 500 || status === 429) throw error
  })
}
