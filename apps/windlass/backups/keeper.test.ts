import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BackedUpStack, createBackupKeys } from '../testing/backed-up-stack.ts'
import { startKeeper } from './keeper.ts'
import { concernsOf, readBackupsState } from './state.ts'

const soon = { timeout: 150_000, interval: 200 }
let root: string
let stack: BackedUpStack
let keeper: Awaited<ReturnType<typeof startKeeper>> | undefined

beforeEach(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-keeper-'))
  chmodSync(root, 0o755)
  stack = new BackedUpStack(join(root, 'home'), await createBackupKeys(), join(root, 'backups'))
  await stack.start()
})
afterEach(async () => {
  await keeper?.stop()
  keeper = undefined
  await stack.stop()
  rmSync(root, { recursive: true })
})

async function start(more: Record<string, string> = {}): Promise<void> {
  const env = {
    ...process.env,
    ...stack.keys.variables,
    WINDLASS_HOME: stack.home.folder,
    POSTGRES_PORT: new URL(stack.url).port,
    BACKUPS_PORT: String(await freePort()),
    BACKUP_TO: stack.place,
    BACKUP_ENCRYPT_TO: stack.keys.recipients.join(),
    BACKUP_LOG_SECONDS: '1',
    ...more,
  }
  const limits = { silentMs: 10_000, againMs: 200 }
  keeper = await startKeeper(env, pino({ level: 'silent' }), limits)
}

async function metric(name: string): Promise<number | undefined> {
  const answer = await fetch(`http://127.0.0.1:${keeper?.port}/metrics`)
  const line = (await answer.text()).split('\n').find(each => each.startsWith(name))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
const state = () => readBackupsState(stack.home)

describe('the process that keeps backups', { timeout: 600_000 }, () => {
  it('says how they are, and verifies them with a key that it is given', async () => {
    writeFileSync(
      join(root, 'key.txt'),
      `${stack.keys.key.identities[0]}\nsigned-by ${stack.keys.key.signers[0]}\n`,
    )
    await start({ BACKUP_VERIFY_KEY_FILE: join(root, 'key.txt') })
    await expect.poll(() => metric('windlass_backup_age_seconds'), soon).toBeLessThan(60)
    await expect.poll(() => metric('windlass_backup_log_age_seconds'), soon).toBeLessThan(60)
    expect(await metric('windlass_backup_interval_seconds')).toBe(86_400)
    expect(await metric('windlass_disk_free_bytes{disk="postgres"')).toBeGreaterThan(0)
    expect(state()?.newest?.file).toContain(stack.place)
    // There was no backup yet when it looked first.
    await keeper?.stop()
    await start({ BACKUP_VERIFY_KEY_FILE: join(root, 'key.txt') })
    const verified = async () =>
      state()?.tasks.verify?.error ?? (await metric('windlass_backup_verified_age_seconds'))
    await expect.poll(verified, { ...soon, timeout: 300_000 }).toBeLessThan(300)
    expect(await metric('windlass_backup_failing_seconds{task="verify"')).toBe(0)
  })

  it('ends what hangs at a place that does not answer, says so, and continues when it answers again', async () => {
    mkdirSync(stack.place, { mode: 0o700 })
    const mark = join(stack.place, 'owner.json')
    // Who reads it waits, as at a network disk whose server is gone.
    execFileSync('mkfifo', [mark])
    await start()
    await expect
      .poll(() => state()?.tasks.backup?.error ?? state()?.tasks.log?.error, soon)
      .toContain('did not answer')
    expect(await metric('windlass_backup_failures_total')).toBeDefined()
    const found = state()
    const tasks = found?.tasks ?? {}
    for (const outcome of Object.values(tasks)) outcome.failingSince = '2026-01-01T00:00:00.000Z'
    const [concern] = found ? concernsOf({ ...found, tasks }, new Date()) : []
    expect(concern).toMatchObject({
      text: expect.stringContaining('did not answer'),
      advice: 'npm run doctor',
    })
    rmSync(mark)
    await expect.poll(() => state()?.newest?.file, soon).toContain(stack.place)
    await expect.poll(() => metric('windlass_backup_failing_seconds{task="backup"'), soon).toBe(0)
  })

  it('stops while its process hangs', async () => {
    mkdirSync(stack.place, { mode: 0o700 })
    execFileSync('mkfifo', [join(stack.place, 'owner.json')])
    await start()
    await expect.poll(() => metric('windlass_backup_interval_seconds'), soon).toBe(86_400)
    await keeper?.stop()
    keeper = undefined
  })
})
