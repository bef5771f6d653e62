import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { historyOf, numberOf, parseHistory, segmentAt } from '@windlass/postgres/log-segments.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BackedUpStack, type BackupKeys, createBackupKeys } from '../testing/backed-up-stack.ts'
import { planLog } from './log-plan.ts'
import { isMarkSignedBy, type Mark, MARK_FILE, parseMark, printMark } from './mark.ts'
import { createSigningKey, signerOf } from './signature.ts'

let root: string
let keys: BackupKeys
const running: BackedUpStack[] = []

beforeAll(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-stored-log-'))
  chmodSync(root, 0o755)
  keys = await createBackupKeys()
})
afterAll(async () => {
  await Promise.all(running.map(stack => stack.stop()))
  rmSync(root, { recursive: true })
})

async function started(stack: BackedUpStack): Promise<BackedUpStack> {
  await stack.start()
  running.push(stack)
  return stack
}
async function create(name: string): Promise<BackedUpStack> {
  const stack = await started(new BackedUpStack(join(root, name), keys, join(root, `of-${name}`)))
  await stack.sql('create table things (id int)')
  return stack
}
const things = async (stack: BackedUpStack) =>
  (await stack.sql('select id from things order by 1')).map(({ id }) => id)
/** Backed up, then a change in each of so many files of the log. */
async function withChanges(name: string, count: number): Promise<BackedUpStack> {
  const stack = await create(name)
  await stack.backUp()
  // What the backup itself wrote.
  await stack.archive()
  for (let id = 1; id <= count; id++) {
    await stack.sql(`insert into things values (${id})`)
    expect(await stack.backUp()).toEqual({ isMade: false, hasGap: false, stored: 1 })
  }
  return stack
}
/** Stored files of the log, oldest first. */
function logOf({ place }: BackedUpStack): string[] {
  const [cluster = ''] = readdirSync(join(place, 'wal'))
  return readdirSync(join(place, 'wal', cluster))
    .sort()
    .map(name => join(place, 'wal', cluster, name))
}
const restored = async (stack: BackedUpStack, name: string, more: { at?: Date } = {}) =>
  things(await started(await stack.restoreInto(join(root, name), more)))
/** The time that an error names to accept the loss. */
async function acceptedTime(failing: Promise<unknown>): Promise<Date> {
  const message = await failing.then(String, String)
  const [, at = ''] = /--at (\S+)$/.exec(message) ?? []
  expect(message).toContain('--at')
  return new Date(at)
}

describe('a stored log', () => {
  it('without a file in the middle is refused, with what is lost and the time that accepts it', async () => {
    const stack = await withChanges('gap', 4)
    await stack.stop()
    const [missing = ''] = logOf(stack).slice(-2)
    renameSync(missing, join(root, 'missing'))
    const named = new RegExp(
      `${missing.split('/').at(-1)?.slice(0, 24)} is missing. 1 later file, .* cannot be used`,
    )
    await expect(stack.restoreInto(join(root, 'gap-none'))).rejects.toThrow(named)
    await expect(stack.verify()).rejects.toThrow(named)
    const tooLate = { at: new Date() }
    await expect(stack.restoreInto(join(root, 'gap-late'), tooLate)).rejects.toThrow(named)
    const at = await acceptedTime(stack.restoreInto(join(root, 'gap-none')))
    expect(await restored(stack, 'gap-accepted', { at })).toEqual([1, 2])
    renameSync(join(root, 'missing'), missing)
    expect(await restored(stack, 'gap-filled')).toEqual([1, 2, 3, 4])
  })

  it('without its newest files, or the first after the backup, is refused likewise', async () => {
    const stack = await withChanges('cut', 2)
    await stack.stop()
    const files = logOf(stack)
    renameSync(files.at(-1) ?? '', join(root, 'newest'))
    await expect(stack.restoreInto(join(root, 'cut-none'))).rejects.toThrow(
      /\w{24} is missing\. The last change/,
    )
    const at = await acceptedTime(stack.restoreInto(join(root, 'cut-none')))
    expect(await restored(stack, 'cut-accepted', { at })).toEqual([1])
    renameSync(join(root, 'newest'), files.at(-1) ?? '')
    renameSync(files.at(-2) ?? '', join(root, 'first'))
    const atBackup = await acceptedTime(stack.restoreInto(join(root, 'cut-first')))
    expect(await restored(stack, 'cut-backup', { at: atBackup })).toEqual([])
  })

  it('whose later file is damaged is restored as of a time before it, and else says which file', async () => {
    const stack = await withChanges('damaged', 2)
    const between = new Date()
    for (let id = 3; id <= 14; id++) {
      await stack.sql(`insert into things values (${id})`)
      await stack.archive()
    }
    await stack.stop()
    const newest = logOf(stack).at(-1) ?? ''
    writeFileSync(newest, readFileSync(newest).subarray(0, -100))
    expect(await restored(stack, 'damaged-before', { at: between })).toEqual([1, 2])
    const failing = stack.restoreInto(join(root, 'damaged-newest'))
    await expect(failing).rejects.toThrow(`${newest} is damaged or cut off`)
    const at = await acceptedTime(stack.restoreInto(join(root, 'damaged-newest')))
    const home = `it's 5% "more"`
    expect(await restored(stack, home, { at })).toHaveLength(13)
    expect(readdirSync(join(root, home)).filter(name => /feed|restored/.test(name))).toEqual([])
  })

  it('is restored as of any time until it was stored last, also after its last change', async () => {
    const stack = await withChanges('quiet', 1)
    const quiet = new Date()
    await stack.sql('select pg_sleep(0.05)')
    await stack.sql('select pg_switch_wal()')
    await stack.sql('create table other (id int)')
    await stack.backUp()
    await stack.stop()
    const state = await stack.verify()
    expect(new Date(state.reached.at).getTime()).toBeGreaterThan(quiet.getTime())
    expect(await restored(stack, 'quiet-restored', { at: quiet })).toEqual([1])
    const { mark } = parseMark(readFileSync(join(stack.place, MARK_FILE), 'utf8')) ?? {}
    const at = new Date(mark?.log?.completeAt ?? '')
    expect(await restored(stack, 'quiet-complete', { at })).toEqual([1])
    const later = { at: new Date(at.getTime() + 1000) }
    await expect(stack.restoreInto(join(root, 'quiet-late'), later)).rejects.toThrow(
      'The stored log ends before',
    )
  })

  it('that the schedule left for a while leads to a new backup at once', async () => {
    const stack = await withChanges('left', 1)
    await stack.withoutSchedule()
    await stack.sql('insert into things select generate_series(2, 300000)')
    await stack.sql('checkpoint')
    await stack.sql('select pg_switch_wal()')
    await stack.sql('checkpoint')
    await stack.stop()
    await stack.start()
    expect(await stack.backUp()).toMatchObject({ isMade: true, hasGap: true })
    await stack.sql('delete from things where id > 3')
    expect(await stack.backUp()).toMatchObject({ isMade: false, hasGap: false })
    await stack.stop()
    expect(await restored(stack, 'left-restored')).toEqual([1, 2, 3])
  })

  it('leads to a new backup also where the stack is killed between the two', async () => {
    const stack = await withChanges('killed', 1)
    await stack.withoutSchedule()
    await stack.sql('insert into things select generate_series(2, 300000)')
    for (let times = 0; times < 2; times++) await stack.sql('select pg_switch_wal(); checkpoint')
    expect(await stack.archive()).toMatchObject({ hasGap: true })
    expect(await stack.archive()).toMatchObject({ hasGap: false })
    expect(await stack.backUp()).toMatchObject({ isMade: true })
    await stack.stop()
  })
})

describe('the part of a log that continues a backup', () => {
  const backup = {
    ...{ systemId: '7', timeline: 3, endedAt: '2026-01-01T00:00:00.000Z' },
    stopLsn: `0/${(100 * 2 ** 24 + 5).toString(16)}`,
  }
  const storedAt = new Date('2026-01-02T00:00:00Z')
  const mark = (upTo: number): Mark => ({
    ...{ format: 'windlass-owner/1', owner: 'o'.repeat(20), renewal: 'r'.repeat(20), machine: 'm' },
    ...{ renewedAt: backup.endedAt, systemId: '7', timeline: 3 },
    log: { from: segmentAt(3, 90), upTo: segmentAt(3, upTo), completeAt: backup.endedAt },
  })
  const files = (numbers: Iterable<number>, timeline = 3) =>
    [...numbers].map(number => ({ name: segmentAt(timeline, number), storedAt }))

  it('has no gap, and whatever is or was stored after it counts as missing', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 95, max: 130 }))
    fc.assert(
      fc.property(numbers, fc.integer({ min: 90, max: 130 }), (stored, upTo) => {
        const plan = planLog({ backup, files: files(stored), mark: mark(upTo) })
        const used = plan.segments.map(numberOf)
        expect(used.every((number, index) => index === 0 || number === used[index - 1]! + 1)).toBe(true)
        expect([undefined, 100, 101]).toContain(used[0])
        const end = Math.max(100, ...used)
        expect(stored).not.toContain(end + 1)
        expect(plan.last).toBe(segmentAt(3, end))
        expect(plan.gap === undefined).toBe(upTo <= end && stored.every(number => number <= end))
        if (plan.gap) expect(numberOf(plan.gap.first)).toBe(end + 1)
        expect(plan.gap?.later ?? 0).toBe(stored.filter(number => number > end).length)
      }),
    )
  })

  it('is on the timeline of the owner alone', () => {
    const both = [...files([101, 102]), ...files([100, 101, 102, 103], 4)]
    expect(planLog({ backup, files: both, mark: mark(102) })).toMatchObject({
      ...{ segments: files([101, 102]).map(({ name }) => name), gap: undefined },
    })
    expect(() => planLog({ backup, files: both, mark: undefined })).toThrow('--timeline')
    expect(() => planLog({ backup, files: both, mark: { ...mark(103), timeline: 4 } })).toThrow(
      'not of the stack',
    )
    const other = { ...backup, owner: 'x'.repeat(20) }
    expect(() => planLog({ backup: other, files: both, mark: mark(102) })).toThrow('not of the stack')
    // A leaf of the tree that was left before the backup ended.
    const earlier = both.map(each => ({ ...each, storedAt: new Date('2025-12-31T00:00:00Z') }))
    expect(planLog({ backup, files: earlier, mark: undefined }).segments).toHaveLength(2)
  })

  it('goes over to a later timeline that comes from the backup’s, if that is asked for', () => {
    const history = parseHistory(`1\t0/5000000\tno recovery target\n3\t0/66000100\tbefore 2026\n`)
    const both = [...files([100, 101, 102, 103]), ...files([102, 103, 104], 4)]
    const plan = planLog({ backup, files: both, mark: undefined, timeline: 4, history })
    expect(plan.segments).toEqual(
      [...files([100, 101]), ...files([102, 103, 104], 4)].map(({ name }) => name),
    )
    expect(historyOf(plan.timeline)).toBe('00000004.history')
    expect(() => planLog({ backup, files: both, mark: undefined, timeline: 4, history: [] })).toThrow(
      'does not come from',
    )
  })
})

it('a mark says nothing where it was changed, or signed by someone else', () => {
  const [own, other] = [createSigningKey(), createSigningKey()]
  const mark: Mark = {
    ...{ format: 'windlass-owner/1', owner: 'o'.repeat(20), renewal: 'r'.repeat(20), machine: 'm' },
    ...{ renewedAt: '2026-01-01T00:00:00.000Z', systemId: '7', timeline: 1 },
  }
  const read = (text: string, key: string) => {
    const signed = parseMark(text)
    return signed && isMarkSignedBy([signerOf(key)], signed)
  }
  const text = printMark(mark, own)
  expect(read(text, own)).toBe(true)
  expect(read(text, other)).toBe(false)
  expect(read(text.replace('"timeline": 1', '"timeline": 2'), own)).toBe(false)
  fc.assert(fc.property(fc.json(), json => parseMark(json) === undefined))
  const file = join(root, 'mark')
  writeFileSync(file, text.replace('"m"', '"\\u001b[2J"'))
  expect(parseMark(readFileSync(file, 'utf8'))).toBeUndefined()
})
