import { resolveWorkspaceIncident } from '@windlass/contracts/platform/workspace-records.ts'
import { createClient, CookieJar } from '@windlass/client/client.ts'
import { findRunning, removeData } from '@windlass/postgres/start.ts'
import { openDeposit, payDeposit, readTransaction, withdrawAmount } from '@windlass/windlass/demo/money.ts'
import { signInOperator } from '@windlass/windlass/demo/operator.ts'
import { writeKnown } from '@windlass/windlass/data-migrations.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made } from '@windlass/windlass/demo/story.ts'
import { anchorServers, leftServices } from '@windlass/windlass/leftovers.ts'
import type { StackLock } from '@windlass/windlass/run-files.ts'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStackToRestore, type StackToRestore } from './command-stack.ts'
import {
  agrees,
  journalOf,
  ledgerOf,
  namedIncidents,
  openIncidents,
  type Owner,
} from './ledger-and-journal.ts'
import { startLoad } from './load.ts'

const slowly = { timeout: 120_000, interval: 500 }
/** The release that the databases are of before the upgrade. */
const BEFORE = { version: '0.0.1', commit: 'aaaaaaaaaaaa' }

let stack: StackToRestore

/** The machine burns: every process is killed, and nothing in the data folder is left. */
async function destroy({ pid }: StackLock): Promise<void> {
  const postgres = made(findRunning(stack.home.postgres), 'Postgres')
  process.kill(pid, 'SIGKILL')
  const others = [...(await leftServices(stack.home)), ...(await anchorServers(stack.home)), postgres]
  for (const other of others) process.kill(other.pid, 'SIGKILL')
  await expect.poll(() => findRunning(stack.home.postgres), slowly).toBeUndefined()
  removeData(stack.home.postgres)
  rmSync(stack.home.folder, { recursive: true })
}

/** All that was done until now is in the stored log: two of its files are newer. */
async function untilStored(): Promise<Date> {
  const { backups } = stack
  const since = new Date()
  const isNewer = (name: string) => name.endsWith('.age') && statSync(join(backups, name)).mtime > since
  const newer = () =>
    readdirSync(backups, { recursive: true, encoding: 'utf8' }).filter(name => {
      return name.startsWith('wal') && existsSync(join(backups, name)) && isNewer(name)
    })
  await expect.poll(() => newer().length, slowly).toBeGreaterThanOrEqual(2)
  return since
}

/** One checkout stands for both releases. */
function isOfThisCheckout(): void {
  const file = join(stack.home.folder, 'last-upgrade')
  const record = JSON.parse(readFileSync(file, 'utf8')) as { from: object; to: object }
  expect(record.from).toEqual(BEFORE)
  writeFileSync(file, JSON.stringify({ ...record, from: record.to }))
}

/** An operator has read the rails' statements: what is lost was paid. */
async function resolveAll(owner: Owner): Promise<void> {
  const anchorId = made(owner.story.first.anchorId, 'anchor')
  for (const { id, kind } of await openIncidents(owner)) {
    const outcome = kind === 'held-receipt' ? { outcome: 'applied' as const } : {}
    await owner.operator.call(resolveWorkspaceIncident, {
      params: { anchorId, id },
      body: { resolution: 'Compared with the statement of the rail.', ...outcome },
    })
  }
}

// npm run test:drill
describe.runIf(process.env.MODE === 'drill')('a stack whose anchors hold money', () => {
  let lock: StackLock
  let owners: Owner[] = []
  let owner: Owner
  /** A deposit that is paid after the backup. */
  let paidLater: string
  let beforeMore: Date
  let atTheEnd: Awaited<ReturnType<typeof ledgerOf>>
  let held: string
  /** Where backups are once they are out of reach. */
  const kept = () => join(stack.root, 'kept')

  beforeAll(async () => {
    stack = await createStackToRestore('drill')
    Object.assign(stack.environment, { BACKUP_TO: stack.backups, BACKUP_LOG_SECONDS: '1' })
  })

  afterAll(async () => {
    await stack?.remove()
    await Promise.all(owners.map(({ story }) => story.anchors.close()))
  })

  it('is backed up, and moves more money until it is destroyed', async () => {
    lock = await stack.start()
    const story = beginStory(lock.variables)
    for (const step of STEPS) await step.run(story, () => undefined)
    const operator = createClient({ baseUrl: lock.variables.PLATFORM_URL ?? '', cookies: new CookieJar() })
    const other = { ...story, first: story.second, operator }
    await signInOperator.run(other, () => undefined)
    owner = { story, operator: story.operator }
    owners = [owner, { story: other, operator }]
    await agrees(owners)
    paidLater = await openDeposit(story, '30')
    await stack.windlass('backup', '--to', stack.backups)

    beforeMore = await untilStored()
    await payDeposit(story, paidLater)
    await payDeposit(story, await openDeposit(story, '20'))
    await withdrawAmount(story, '15')
    await untilStored()

    // From here on the disk of the backups is elsewhere: what is done now is lost with the machine.
    renameSync(stack.backups, kept())
    await payDeposit(story, await openDeposit(story, '7'))
    await withdrawAmount(story, '5')
    atTheEnd = await ledgerOf(story)
    await agrees(owners)
    held = await journalOf(owner, 'treasury')
    await destroy(lock)
  }, 600_000)

  it('is restored: balances agree with the ledger, nothing is paid twice, what is lost is named', async () => {
    await stack.windlass('restore', '--from', kept(), '--key', stack.key)
    lock = await stack.start()
    await expect
      .poll(() => namedIncidents(owner).catch(String), slowly)
      .toEqual(['held-receipt 5', 'unrecorded-payment 7'])
    await agrees(owners)
    expect((await readTransaction(owner.story, paidLater)).status).toBe('completed')
    expect(await ledgerOf(owner.story)).toEqual(atTheEnd)
    await resolveAll(owner)
    await expect.poll(() => journalOf(owner, 'suspense').then(Number), slowly).toBe(0)
    expect(await journalOf(owner, 'treasury')).toBe(held)
    // It works on.
    await payDeposit(owner.story, await openDeposit(owner.story, '2'))
    atTheEnd = await ledgerOf(owner.story)
    await agrees(owners)
  }, 600_000)

  it('is restored as of an earlier time: a deposit that was paid since is completed by its payment', async () => {
    await stack.windlass('stop')
    await stack.windlass(
      'restore',
      '--from',
      kept(),
      '--key',
      stack.key,
      '--at',
      beforeMore.toISOString(),
      '--replace',
    )
    // It is another stack than the one that was restored before.
    stack.environment.BACKUP_TO = join(stack.root, 'backups-2')
    lock = await stack.start()
    const lost = ['held-receipt 15', 'held-receipt 5']
    const unrecorded = [2, 20, 30, 7].map(amount => `unrecorded-payment ${amount}`)
    await expect.poll(() => namedIncidents(owner).catch(String), slowly).toEqual([...lost, ...unrecorded])
    await agrees(owners)
    expect((await readTransaction(owner.story, paidLater)).status).toBe('pending_user_transfer_start')
    // The rail reports the customer's money again.
    await payDeposit(owner.story, paidLater)
    expect(await namedIncidents(owner)).toEqual([
      ...lost,
      ...unrecorded.filter(each => !each.endsWith(' 30')),
    ])
    await resolveAll(owner)
    await agrees(owners)
    expect(await ledgerOf(owner.story)).toEqual(atTheEnd)
    expect(Number(await journalOf(owner, 'suspense'))).toBe(0)
  }, 600_000)

  it('is upgraded under load without a request lost, and goes back', async () => {
    const { story } = owner
    const { homeDomain = '' } = made(story.first.anchor, 'anchor')
    const { PLATFORM_URL, AGGREGATOR_URL, FOUNDER_CONSOLE_URL } = lock.variables
    const urls = [
      ...[`${PLATFORM_URL}/health`, `${AGGREGATOR_URL}/health`, `${FOUNDER_CONSOLE_URL}/`],
      ...['api', 'console', 'account', 'aggregator'].map(name => `http://${name}.localhost/health/live`),
      `http://${homeDomain}/.well-known/stellar.toml`,
    ]
    const load = startLoad(urls, { port: stack.environment.PROXY_PORT ?? '' })
    const deposit = await openDeposit(story, '3')
    writeKnown(stack.home, { release: BEFORE, migrations: {} })
    const upgraded = stack.windlass('upgrade', '--to', join(stack.root, 'backups-2'))
    await payDeposit(story, deposit)
    expect(await upgraded).toMatch(/platform API.*upgraded[\s\S]*customer portal.*upgraded/)
    await payDeposit(story, await openDeposit(story, '4'))
    const { failures, sent } = await load.stop()
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(100)
    expect(await stack.windlass('status')).not.toContain('no answer')
    await agrees(owners)
    atTheEnd = await ledgerOf(story)

    await stack.windlass('stop')
    isOfThisCheckout()
    await stack.windlass('upgrade', 'back', '--key', stack.key)
    lock = await stack.start()
    await expect.poll(() => namedIncidents(owner).catch(String), slowly).toContain('unrecorded-payment 4')
    await agrees(owners)
    expect(await ledgerOf(story)).toEqual(atTheEnd)
  }, 600_000)
})
