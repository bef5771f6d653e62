import type { Release } from '@windlass/contracts/platform/anchor-life.ts'
import { STAND_IN } from '@windlass/contracts/internal/proxy-routes.ts'
import type { ServerRole, Slot } from '@windlass/runtimes/runtime.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { getAnchor, listServingPorts, setFirstRelease, setServingPorts } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { getOtherPair, listOtherPorts, setOtherPorts } from './upgrades/records.ts'

/**
 * An anchor's two servers. One pair serves. During an upgrade there is another pair in the other slot: the one that
 * is to take over, and after the switch the one that was replaced.
 */
export interface Pair {
  anchorId: string
  slot: Slot
  ports: Ports
  release: Release
}

interface Ports {
  sep: number
  business: number
}

export type Which = 'serving' | 'other'

const HIGHEST_PORT = 65_534
const PORTS_LOCK = 727_003

/** Throws where the pair has no ports yet. */
export async function readPair(
  { database: { db }, release: present }: Pick<Deps, 'database' | 'release'>,
  anchorId: string,
  which: Which = 'serving',
): Promise<Pair> {
  const row = which === 'serving' ? await getAnchor(db, anchorId) : await getOtherPair(db, anchorId)
  if (!row?.slot || row.sep_port === null || row.business_port === null) {
    throw new Error(`anchor ${anchorId} has no ports`)
  }
  const ports = { sep: row.sep_port, business: row.business_port }
  return { anchorId, slot: row.slot, ports, release: row.release ?? present }
}

/** Where a server of the serving pair is reached; while the anchor sleeps, where its stand-in is. */
export async function addressOf(
  deps: Pick<Deps, 'config' | 'database' | 'release' | 'runtime'>,
  anchorId: string,
  role: ServerRole,
): Promise<string> {
  const { asleep_since } = await getAnchor(deps.database.db, anchorId)
  return asleep_since ? standInOf(deps, anchorId, role) : realAddressOf(deps, anchorId, role)
}

/** Where a server's stand-in is reached. */
export const standInOf = ({ config }: Pick<Deps, 'config'>, anchorId: string, role: ServerRole): string =>
  `${config.ownUrl}${STAND_IN}${anchorId}/${role}`

/** Where a server of the serving pair is reached, whether it runs or not. */
export async function realAddressOf(
  deps: Pick<Deps, 'database' | 'release' | 'runtime'>,
  anchorId: string,
  role: ServerRole,
): Promise<string> {
  const { slot, ports } = await readPair(deps, anchorId)
  return deps.runtime.address({ anchorId, slot, role, port: ports[role] })
}

/**
 * Gives a pair two ports that no other pair and no other program uses. A pair that has ports keeps them unless
 * `replace` is set; the platform gets the new address of a serving pair.
 */
export async function allocatePorts(
  tx: Transaction<Tables>,
  deps: Pick<Deps, 'config' | 'runtime' | 'release'>,
  anchorId: string,
  { replace = false, which = 'serving' }: { replace?: boolean; which?: Which } = {},
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${PORTS_LOCK})`.execute(tx)
  const [serving, other] = [await listServingPorts(tx), await listOtherPorts(tx)]
  const own = which === 'serving' ? serving : other
  if (!replace && own.some(({ id }) => id === anchorId)) return
  const taken = [...serving, ...other].flatMap(pair => [pair.sep_port, pair.business_port])
  const ports = await findFreePorts(deps, new Set(taken))
  if (which === 'other') return setOtherPorts(tx, anchorId, ports)
  await setServingPorts(tx, anchorId, ports)
  if (replace) await sendAddress(tx, anchorId)
  else await setFirstRelease(tx, anchorId, deps.release)
}

/** Sends the platform the address of the serving pair after the transaction commits. */
export async function sendAddress(tx: Db<Tables>, anchorId: string): Promise<void> {
  await enqueue(tx, 'moved', `${anchorId}:${randomUUID()}`, { anchorId })
}

async function findFreePorts(
  { config, runtime }: Pick<Deps, 'config' | 'runtime'>,
  taken: ReadonlySet<number | null>,
): Promise<Ports> {
  for (let port = config.anchors.portBase; port < HIGHEST_PORT; port += 2) {
    if (taken.has(port) || taken.has(port + 1)) continue
    const free = await Promise.all([port, port + 1].map(each => runtime.isPortFree(each)))
    if (free.every(Boolean)) return { sep: port, business: port + 1 }
  }
  throw new Error(`no two free ports from ${config.anchors.portBase} on`)
}
