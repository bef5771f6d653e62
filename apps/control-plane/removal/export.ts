import type { Export } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '@windlass/service/process/write-whole.ts'
import { sealFor } from '@windlass/service/seals/sealed-box.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { endAuthorization } from '../anchors/accounts.ts'
import { folderOf } from '../anchors/addresses.ts'
import { getAnchor, isProvisioned } from '../anchors/records.ts'
import { listPublicKeys, type Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { findJobOfAnchor, readLog } from '../provisioning/journal.ts'
import { writeConfiguration } from '../servers/configuration.ts'
import { anchorDatabaseUrl, databaseExists } from '../servers/database.ts'
import { dumpDatabase, type DumpedTable } from './dump-database.ts'
import { readTar, tarOf, type Member } from './tar.ts'

/** The description of an archive, its first file. */
export interface Manifest {
  format: 'windlass-anchor-export/1'
  anchorId: string
  homeDomain: string
  createdAt: string
  tables: DumpedTable[]
}

interface Exported {
  removalId: string
  plan: AnchorPlan
  vault: Vault
  records: Record<string, unknown>
}

/**
 * Writes everything an anchor has, without its secrets, into one archive and reads the archive back before it resolves.
 * The file appears complete under its name, in the place of one from an earlier attempt.
 */
export async function exportAnchor(deps: Deps, exported: Exported): Promise<Export> {
  const { removalId, plan } = exported
  const folder = deps.config.anchors.exportsFolder
  const file = `${plan.anchorId}-${createHash('sha256').update(removalId).digest('hex').slice(0, 12)}.tar.gz`
  const work = join(folder, `.${file}.work`)
  await rm(work, { recursive: true, force: true })
  makePrivateFolder(folder)
  makePrivateFolder(work)
  try {
    const at = deps.clock.now()
    const manifest: Manifest = {
      format: 'windlass-anchor-export/1',
      anchorId: plan.anchorId,
      homeDomain: plan.homeDomain,
      createdAt: at.toISOString(),
      tables: await dumpTables(deps, exported, work),
    }
    const members = await membersOf(deps, exported, manifest, work)
    await writeWhole(join(folder, file), tarOf(members, at))
    await verifyExport(join(folder, file), manifest)
    const path = join(folder, file)
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    return { file, bytes: (await stat(path)).size, sha256: await sha256Of(path), rows }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function dumpTables(deps: Deps, { plan, vault }: Exported, work: string): Promise<DumpedTable[]> {
  const { anchorId } = plan
  if (!(await databaseExists(deps, anchorId))) return []
  const { secret } = await vault.get(deps.database.db, 'database')
  return dumpDatabase(anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, { password: secret }), work)
}

async function membersOf(
  deps: Deps,
  { plan, vault, records }: Exported,
  manifest: Manifest,
  work: string,
): Promise<Member[]> {
  const json = (name: string, value: unknown): Member => ({
    name,
    text: `${JSON.stringify(value, null, 2)}\n`,
  })
  return [
    json('manifest.json', manifest),
    json('plan.json', plan),
    json('accounts.json', await listPublicKeys(deps.database.db, plan.anchorId)),
    json('platform.json', records),
    json('provisioning-log.json', await wholeLog(deps, plan.anchorId)),
    ...(await keysFor(deps, vault, records['exportKey'])),
    ...(await configurationOf(deps, plan, vault)),
    ...manifest.tables.map(({ file }) => ({ name: file, path: join(work, file) })),
  ]
}

/** The keys of what is encrypted in the tables, for the founder alone; none where they set no key. */
async function keysFor(deps: Deps, vault: Vault, publicKey: unknown): Promise<Member[]> {
  if (typeof publicKey !== 'string') return []
  const { db } = deps.database
  const keyring = async (role: 'details' | 'sep_details') => (await vault.find(db, role))?.secret ?? null
  const keys = { business: await keyring('details'), sep: await keyring('sep_details') }
  return [{ name: 'keys.sealed', text: `${sealFor(publicKey, JSON.stringify(keys))}\n` }]
}

async function wholeLog(deps: Deps, anchorId: string) {
  const { db } = deps.database
  const job = await findJobOfAnchor(db, anchorId)
  const lines = []
  for (let after = 0; job;) {
    const page = await readLog(db, job.id, after)
    if (page.length === 0) break
    lines.push(...page)
    after = page.at(-1)?.id ?? after
  }
  return lines
}

const CONFIGURATION = ['config/anchor.json', 'config/stellar.toml']

/** The configuration of its servers, without secrets; none where the anchor was never configured. */
async function configurationOf(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<Member[]> {
  const { anchorId } = plan
  const anchor = await getAnchor(deps.database.db, anchorId)
  if (anchor.sep_port === null) return []
  const folder = folderOf(deps.config, anchorId, anchor.slot)
  const isHere = (name: string) => existsSync(join(folder, name))
  // The job of one that was never provisioned may have failed before it wrote them.
  if (isProvisioned(anchor)) await ensureConfiguration(deps, plan, vault, CONFIGURATION.every(isHere))
  const names = isProvisioned(anchor) ? CONFIGURATION : CONFIGURATION.filter(isHere)
  return Promise.all(names.map(async name => ({ name, text: await readFile(join(folder, name), 'utf8') })))
}

/** In a cluster another node's control plane may have written it last; a machine that was restored has none. */
async function ensureConfiguration(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  isHere: boolean,
): Promise<void> {
  if (isHere && deps.runtime.kind !== 'swarm') return
  try {
    await writeConfiguration(deps, plan, vault)
  } finally {
    // What writes it also authorizes the servers, which are stopped.
    await endAuthorization(deps, plan.anchorId)
  }
}

async function writeWhole(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { force: true })
  try {
    const file = createWriteStream(unfinished, { mode: 0o600, flush: true })
    await pipeline(Readable.from(bytes), createGzip(), file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  await rename(unfinished, path)
  syncFolder(dirname(path))
}

/** Reads an archive from its first byte to its last. Throws where it does not hold what the manifest says. */
export async function verifyExport(path: string, { tables }: Pick<Manifest, 'tables'>): Promise<void> {
  const found = new Map<string, { sha256: string; rows: number }>()
  const bytes = createReadStream(path).pipe(createGunzip())
  const unzipped = Readable.from(bytes) as AsyncIterable<Buffer>
  await readTar(unzipped, name => {
    const hash = createHash('sha256')
    let rows = 0
    return {
      chunk: part => {
        hash.update(part)
        for (const byte of part) if (byte === 10) rows++
      },
      end: () => found.set(name, { sha256: hash.digest('hex'), rows }),
    }
  })
  if (!found.has('manifest.json')) throw new Error('the export has no manifest')
  for (const { file, sha256, rows } of tables) {
    const is = found.get(file)
    if (is?.sha256 !== sha256 || is.rows !== rows)
      throw new Error(`the export does not hold ${file} as it was`)
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
