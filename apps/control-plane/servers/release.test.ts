import type { Release } from '@windlass/contracts/platform/anchor-life.ts'
import type { Runtime, ServerRole, ServerSource, ServerState } from '@windlass/runtimes/runtime.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { presentRelease, VERSION } from '../programs.ts'
import { migrations, type Tables } from '../tables.ts'
import { demandRelease, findSource, readPresentRelease, recordRelease } from './release.ts'
import { planUpgrades } from './upgrades/plan.ts'

const IMAGE = `windlass:${VERSION}`
const OLD = 'sha256:old'
const NEW = 'sha256:new'
const config = {
  anchors: { runtime: { kind: 'docker', image: IMAGE }, releasesFolder: '/releases' },
} as unknown as Config

let close: () => Promise<void>
let database: Database<Tables>
/** What an engine has: contents by what they are called; null: it does not answer. */
let images: Map<string, string> | null
let deps: Deps

beforeAll(async () => {
  const test = await testDatabase(sharedMigrations, migrations)
  database = openDatabase<Tables>(test.url, { name: 'release test', max: 3 })
  close = async () => {
    await database.close()
    await test.drop()
  }
})
afterAll(() => close())

beforeEach(async () => {
  await database.pool.query('delete from upgrades')
  await database.pool.query('delete from anchors')
  images = new Map([[IMAGE, OLD]])
  deps = { config, database, runtime, release: presentRelease(config) } as unknown as Deps
})

const contentOf = (from?: ServerSource): string | undefined => {
  if (!images) throw new Error('the engine does not answer')
  const name = from?.image ?? IMAGE
  return images.get(name) ?? [...images.values()].find(content => content === name)
}
const runtime: Pick<Runtime, 'imageId' | 'canRun' | 'inspect'> = {
  inspect: async () => null,
  imageId: async (_role, from) => contentOf(from) ?? null,
  canRun: async (_role, from) => contentOf(from) !== undefined,
}

/** An anchor that runs from a release. */
async function addAnchor(id: string, release: Release | null): Promise<void> {
  await database.pool.query(
    `insert into anchors (id, plan, data_key, running, provisioned_at, release)
     values ($1, '{}', '', true, now(), $2)`,
    [id, release && JSON.stringify(release)],
  )
}
async function releaseOf(id: string): Promise<Release | null> {
  const { rows } = await database.pool.query<{ release: Release | null }>(
    'select release from anchors where id = $1',
    [id],
  )
  return rows[0]?.release ?? null
}
async function planned() {
  await planUpgrades(deps)
  const { rows } = await database.pool.query<{ anchor_id: string; to_release: Release }>(
    'select anchor_id, to_release from upgrades',
  )
  return rows.map(({ anchor_id, to_release }) => [anchor_id, to_release.imageIds?.business])
}
const states = (imageId: string) =>
  ['sep', 'business'].map(role => ({ role, running: true, version: VERSION, imageId }) as ServerState)
const rebuilt = async () => {
  images = new Map([[IMAGE, NEW]])
  deps.release = await readPresentRelease(deps)
}

describe('an image that is built again under the same tag', () => {
  it('reaches the anchors that run from what it held before', async () => {
    await addAnchor('mumbai', await readPresentRelease(deps))
    expect(await planned()).toEqual([])
    await rebuilt()
    expect(await planned()).toEqual([['mumbai', NEW]])
  })

  it('reaches anchors of a time when contents were not recorded, by what their containers hold', async () => {
    await addAnchor('mumbai', presentRelease(config))
    await addAnchor('delhi', presentRelease(config))
    await rebuilt()
    await recordRelease(deps, 'mumbai', states(OLD))
    await recordRelease(deps, 'delhi', states(NEW))
    expect((await releaseOf('mumbai'))?.imageIds).toEqual({ sep: OLD, business: OLD })
    expect(await planned()).toEqual([['mumbai', NEW]])
  })

  it('leaves an anchor alone that an administrator brought to another image', async () => {
    const chosen = { version: 'theirs', images: { sep: 'theirs:1', business: 'theirs:1' } }
    await addAnchor('mumbai', chosen)
    await recordRelease(deps, 'mumbai', states(OLD))
    expect(await releaseOf('mumbai')).toEqual(chosen)
  })

  it('starts a server of the old pair again from what it held, while the engine has that', async () => {
    const old = await readPresentRelease(deps)
    await rebuilt()
    const source = (role: ServerRole) => findSource(deps, old, role)
    images?.set('<none>', OLD)
    expect(await source('business')).toEqual({ image: OLD, program: 'anchor-servers/business.mjs' })
    images?.delete('<none>')
    expect(await source('business')).toBeUndefined()
  })

  it('is what an administrator’s upgrade to that tag leads to', async () => {
    deps.release = await readPresentRelease(deps)
    images = new Map([[IMAGE, NEW]])
    const release = await demandRelease(deps, {})
    expect(release.imageIds).toEqual({ sep: NEW, business: NEW })
  })
})

describe('after an upgrade that nobody asked for has failed', () => {
  it('anchors follow whose servers can run no more, each once, and no others', async () => {
    const old = await readPresentRelease(deps)
    await addAnchor('mumbai', { ...old, imageIds: { sep: 'sha256:gone', business: 'sha256:gone' } })
    await addAnchor('delhi', old)
    await rebuilt()
    images = new Map([
      ['windlass:new', NEW],
      ['<none>', OLD],
    ])
    expect(await planned()).toEqual([['mumbai', NEW]])
    const fail = `update upgrades set state = 'failed', finished_at = now()`
    await database.pool.query(fail)
    expect(await planned()).toEqual([['mumbai', NEW]])
    images.delete('<none>')
    expect(await planned()).toEqual([
      ['mumbai', NEW],
      ['delhi', NEW],
    ])
    await database.pool.query(fail)
    expect(await planned()).toHaveLength(2)
  })
})

describe('an engine that does not answer', () => {
  it('causes no upgrade, and is asked again', async () => {
    await addAnchor('mumbai', await readPresentRelease(deps))
    images = null
    deps.release = await readPresentRelease(deps)
    expect(deps.release).toEqual(presentRelease(config))
    expect(await planned()).toEqual([])
    images = new Map([[IMAGE, NEW]])
    expect(await planned()).toEqual([['mumbai', NEW]])
  })
})
