import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { removeLeftFolders } from './left-folders.ts'

let database: Database<Tables>
let folder: string
let close: () => Promise<void>
beforeAll(async () => {
  const test = await testDatabase(sharedMigrations, migrations)
  database = openDatabase<Tables>(test.url, { name: 'left folders', max: 2 })
  folder = mkdtempSync(join(tmpdir(), 'windlass-left-folders-'))
  close = async () => {
    await database.close()
    await test.drop()
    await rm(folder, { recursive: true, force: true })
  }
})
afterAll(() => close?.())

/** An anchor with the files of its servers here. */
async function addAnchor(id: string, { provisioned = true, removed = false } = {}): Promise<void> {
  await database.pool.query(
    `insert into anchors (id, plan, data_key, provisioned_at, removed_at)
     values ($1, '{}', '', case when $2 then now() end, case when $3 then now() end)`,
    [id, provisioned, removed],
  )
  await addFolder(id)
}

async function addFolder(id: string): Promise<void> {
  await mkdir(join(folder, id, 'b', 'secrets'), { recursive: true })
  await writeFile(join(folder, id, 'b', 'secrets', 'business_database_url'), 'postgres://secret')
}

describe('folders of anchors that another node’s control plane removed', () => {
  it('are removed, and no others; one that belongs to no anchor is named once', async () => {
    await addAnchor('removed', { removed: true })
    await addAnchor('exists')
    await addAnchor('provisioning', { provisioned: false })
    await addAnchor('exporting')
    await database.pool.query(
      `insert into removals (id, anchor_id, state, forced, records) values ('r', 'exporting', 'exporting', false, '{}')`,
    )
    await addFolder('unknown')
    await writeFile(join(folder, 'a-file'), '')

    const logged: unknown[][] = []
    const log = (...given: unknown[]) => void logged.push(given)
    const logger = { info: log, warn: log } as unknown as Deps['logger']
    const deps = { database, logger, config: { anchors: { folder } } }
    const reported = new Set<string>()
    const round = () => removeLeftFolders(deps, reported, new AbortController().signal)

    await round()
    const left = ['a-file', 'exists', 'exporting', 'provisioning', 'unknown']
    expect((await readdir(folder)).toSorted()).toEqual(left)
    expect(logged.map(([about]) => about)).toEqual([
      { anchorId: 'removed' },
      { folder, unknown: ['unknown'] },
    ])

    await round()
    expect(logged).toHaveLength(2)

    await database.pool.query(`update anchors set removed_at = now() where id = 'exporting'`)
    await round()
    expect((await readdir(folder)).toSorted()).toEqual(left.filter(name => name !== 'exporting'))
  })
})
