import { cpSync, chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { homeAt } from '../home.ts'
import { BackedUpStack, type BackupKeys, createBackupKeys } from '../testing/backed-up-stack.ts'
import { type BucketServer, startBucketServer } from '../testing/bucket-server.ts'
import { MARK_FILE, parseMark } from './mark.ts'
import { storeAt } from './store-at.ts'
import type { Store, StoredFile } from './store.ts'

let root: string
let server: BucketServer
let keys: BackupKeys
const running: BackedUpStack[] = []

beforeAll(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-owner-'))
  chmodSync(root, 0o755)
  server = await startBucketServer('backups')
  keys = await createBackupKeys(server.settings)
})
afterAll(async () => {
  await Promise.all(running.map(stack => stack.stop()))
  await server.close()
  rmSync(root, { recursive: true })
})

async function started(stack: BackedUpStack): Promise<BackedUpStack> {
  await stack.start()
  running.push(stack)
  return stack
}
async function create(name: string, place: string): Promise<BackedUpStack> {
  const stack = await started(new BackedUpStack(join(root, name), keys, place))
  await stack.sql('create table things (id int)')
  return stack
}
const add = (stack: BackedUpStack, id: number) => stack.sql(`insert into things values (${id})`)
const things = async (stack: BackedUpStack) =>
  (await stack.sql('select id from things order by 1')).map(({ id }) => id)
const store = (place: string, home = 'other') => storeAt(place, homeAt(join(root, home)), keys.variables)
/** Everything at a place: names and sizes. */
async function content(place: string): Promise<string[]> {
  const at = await store(place)
  return (await filesAt(at)).map(({ name, bytes }) => `${name} ${bytes}`).sort()
}
async function filesAt(at: Store): Promise<StoredFile[]> {
  const backups = (await at.list('')).filter(({ name }) => !name.includes('/'))
  return [...backups, ...(await at.list('wal/'))]
}

describe.each([
  ['a folder', (name: string) => join(root, name)],
  ['a bucket', (name: string) => `s3://backups/${name}`],
])('%s of one living stack', { timeout: 180_000 }, (kind, placeOf) => {
  const named = (name: string) => `${kind.slice(2)}-${name}`
  const place = () => placeOf('of-a')

  it('is not written by a stack that was restored for practice, and the next disaster loses nothing', async () => {
    const a = await create(named('a'), place())
    await add(a, 1)
    await a.backUp()

    const b = await started(await a.restoreInto(join(root, named('b'))))
    const before = await content(place())
    await b.scheduled(async () => {
      await add(b, 100)
      await expect.poll(() => b.warnings.length).toBeGreaterThan(1)
    })
    for (const warning of b.warnings) expect(warning).toMatch(/belongs to another stack.*place of its own/)
    expect(await content(place())).toEqual(before)
    // Its log would fill the disk.
    expect(await b.sql('select slot_name from pg_replication_slots')).toEqual([])
    await b.stop()

    await add(a, 2)
    await a.backUp()
    await a.stop()
    a.destroy()
    const next = await started(await a.restoreInto(join(root, named('next'))))
    expect(await things(next)).toEqual([1, 2])
    await next.stop()
  })

  it('that a restored stack was given is not written by the old machine that comes back', async () => {
    const a = await create(named('old'), placeOf('given'))
    await add(a, 1)
    await a.backUp()
    const kept = placeOf('kept')
    // The operator keeps the old backups elsewhere and gives the place to the restored stack.
    const [from, to] = [await store(a.place), await store(kept, 'another')]
    for (const { name } of await filesAt(from)) {
      await from.read(name, async file => cpSync(file, to.local(name)))
      await to.put(name, new AbortController().signal)
      await from.remove(name)
    }
    const b = await started(await a.restoreInto(join(root, named('new')), { from: kept }))
    b.place = a.place
    expect(await b.backUp()).toMatchObject({ isMade: true })
    const before = await content(a.place)
    await add(a, 2)
    await expect(a.backUp()).rejects.toThrow('belongs to another stack')
    expect(await content(a.place)).toEqual(before)
    expect((await b.backUp()).hasGap).toBe(false)
    await Promise.all([a.stop(), b.stop()])
  })

  it('that is empty becomes that of one of two that were restored from one backup', async () => {
    const a = await create(named('model'), placeOf('model'))
    await a.backUp()
    await a.stop()
    const drills = [
      await a.restoreInto(join(root, named('drill-1'))),
      await a.restoreInto(join(root, named('drill-2'))),
    ]
    for (const drill of drills) {
      drill.place = placeOf('drills')
      await started(drill)
      await add(drill, drills.indexOf(drill))
    }
    const outcomes = await Promise.allSettled(drills.map(drill => drill.backUp()))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [loser] = drills.filter((_, index) => outcomes[index]?.status === 'rejected')
    await expect(loser?.backUp()).rejects.toThrow('belongs to another stack')
    await Promise.all(drills.map(drill => drill.stop()))
  })

  it('is known again after a stop, and by whom and when it was written last', async () => {
    const stack = await create(named('again'), placeOf('again'))
    await stack.backUp()
    await stack.stop()
    await stack.start()
    await add(stack, 1)
    expect(await stack.backUp()).toMatchObject({ isMade: false, hasGap: false, stored: expect.any(Number) })
    const text = await (await store(stack.place)).readText(MARK_FILE)
    expect(parseMark(text ?? '')?.mark).toMatchObject({ timeline: 1, log: expect.anything() })
    await stack.stop()
  })
})

describe('a place', () => {
  it('is not written by two copies of one machine: the one that wrote later keeps it', async () => {
    const original = await create('original', join(root, 'of-copies'))
    await original.backUp()
    await original.stop()
    const copy = await started(original.copyTo(join(root, 'copy')))
    await original.start()
    await add(original, 1)
    await original.backUp()
    const before = await content(original.place)
    await add(copy, 2)
    await expect(copy.backUp()).rejects.toThrow('another copy of this one')
    expect(await content(original.place)).toEqual(before)
    await add(original, 3)
    await original.backUp()
    await Promise.all([original.stop(), copy.stop()])
  })

  it('whose disk is not mounted is not made on the disk beneath', async () => {
    const place = join(root, 'mount')
    const stack = await create('mounted', place)
    await stack.backUp()
    renameSync(place, `${place}-elsewhere`)
    mkdirSync(place)
    await add(stack, 1)
    await expect(stack.backUp()).rejects.toThrow('See that its disk is mounted')
    expect(await content(place)).toEqual([])
    rmSync(place, { recursive: true })
    renameSync(`${place}-elsewhere`, place)
    // The log was kept meanwhile.
    expect(await stack.backUp()).toMatchObject({ isMade: false, hasGap: false })
    await stack.stop()
    expect(await things(await started(await stack.restoreInto(join(root, 'remounted'))))).toEqual([1])
  })

  it('that a release without marks wrote is its owner’s, and nobody’s once others wrote there', async () => {
    const place = join(root, 'unmarked')
    const a = await create('unmarked-a', place)
    await a.backUp()
    const b = await started(await a.restoreInto(join(root, 'unmarked-b')))
    const unmark = () => {
      rmSync(join(place, MARK_FILE))
      rmSync(join(a.dataFolder, 'windlass_backups'), { recursive: true })
    }
    unmark()
    await expect(b.backUp()).rejects.toThrow('may belong to another stack')
    await add(a, 1)
    expect(await a.backUp()).toMatchObject({ isMade: true })

    // As a restored stack of 0.1.0 did.
    b.place = join(root, 'beside')
    await add(b, 100)
    await b.backUp()
    cpSync(join(b.place, 'wal'), join(place, 'wal'), { recursive: true })
    const follow = (name: string, timeline?: number) =>
      a.restoreInto(join(root, name), timeline === undefined ? {} : { timeline })
    expect(await things(await started(await follow('follows-owner')))).toEqual([1])
    await a.stop()
    unmark()
    await expect(follow('follows-none')).rejects.toThrow('say which one to follow with --timeline')
    expect(await things(await started(await follow('follows-1', 1)))).toEqual([1])
    await a.start()
    await expect(a.backUp()).rejects.toThrow('may belong to another stack')
    await a.stop()
  })
})
