import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { generateBaseEnv } from '../base-env.ts'
import { terminalProgress } from '../progress.ts'
import { BackedUpStack, createBackupKeys } from '../testing/backed-up-stack.ts'
import { practiceHomeOf } from './practice.ts'
import { restore } from './restore.ts'

let root: string
let stack: BackedUpStack

beforeEach(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-practice-'))
  chmodSync(root, 0o755)
  const keys = await createBackupKeys()
  stack = new BackedUpStack(join(root, 'home'), keys, join(root, 'backups'))
  writeFileSync(join(root, 'key.txt'), `${keys.key.identities[0]}\nsigned-by ${keys.key.signers[0]}\n`)
  await stack.start()
})
afterEach(async () => {
  await stack.stop()
  rmSync(root, { recursive: true })
})

const silent = () => undefined
async function practise(...args: string[]): Promise<Record<string, unknown>> {
  const said: string[] = []
  const plain = (text: string) => void said.push(text)
  const progress = { ...terminalProgress(true), heading: silent, note: silent, done: silent, plain }
  const all = ['--practice', '--json', '--from', stack.place, '--key', join(root, 'key.txt'), ...args]
  expect(await restore.run({ args: all, environment: {}, home: stack.home, progress })).toBe(0)
  return JSON.parse(said.join('')) as Record<string, unknown>
}

it('a practice restores and starts beside the running stack, leaves nothing, and writes nothing to its backups', async () => {
  const secrets = generateBaseEnv().replace(/^POSTGRES_PASSWORD=.*$/m, 'POSTGRES_PASSWORD=superuser')
  writeFileSync(
    stack.home.baseEnvFile,
    `${secrets}BACKUP_TO=${stack.place}\nBACKUP_ENCRYPT_TO=${stack.keys.recipients.join()}\n`,
  )
  await stack.sql('create table things (id int)')
  await stack.sql('insert into things values (1)')
  await stack.backUp()
  const mark = readFileSync(join(stack.place, 'owner.json'), 'utf8')
  const files = readdirSync(stack.place, { recursive: true }).length

  const report = await practise()
  expect(report).toMatchObject({
    file: expect.stringContaining(stack.place),
    tookSeconds: expect.any(Number),
  })
  expect(report.lostSeconds).toBeLessThan(3_600)
  expect(existsSync(practiceHomeOf(stack.home).folder)).toBe(false)
  expect(readFileSync(join(stack.place, 'owner.json'), 'utf8')).toBe(mark)
  expect(readdirSync(stack.place, { recursive: true })).toHaveLength(files)
  expect(await stack.sql('select id from things')).toEqual([{ id: 1 }])
}, 240_000)

it('a practice fails where a real restore would not start', async () => {
  await stack.sql('create database windlass_signer')
  await stack.stop()
  await stack.start()
  // A newer release was here.
  const applied = { name: '9000-later.sql', at: new Date(), release: '9.0.0' }
  const known = { migrations: { SIGNER_DATABASE_URL: [applied] } }
  writeFileSync(join(stack.dataFolder, 'windlass_release.json'), JSON.stringify(known))
  await stack.backUp()
  await expect(practise()).rejects.toThrow('Start release 9.0.0')
  expect(existsSync(practiceHomeOf(stack.home).folder)).toBe(false)
}, 240_000)
