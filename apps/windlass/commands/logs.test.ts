import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { CHECKOUT, homeAt } from '../home.ts'
import { terminalProgress } from '../progress.ts'
import { logs } from './logs.ts'

/** An anchor of the platform, as far as its logs need it. */
const ANCHOR = `set session_replication_role = replica;
  insert into anchors (id, organization_id, application_id, subdomain, home_domain, status, plan, created_at)
  values ('anc1', 'org', 'app', 'mumbai', 'mumbai.anchors.localhost', 'active', '{"asset": {"code": "MUM"}}', now())`

it('shows the logs of an anchor by its subdomain, and says which there are', async () => {
  const database = await testDatabase(
    ...[sharedMigrations, kycMigrations, join(CHECKOUT, 'apps/platform-api/migrations')],
  )
  onTestFinished(database.drop)
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query(ANCHOR)
  await client.end()
  const home = homeAt(mkdtempSync(join(tmpdir(), 'windlass-logs-')))
  onTestFinished(() => rmSync(home.folder, { recursive: true }))
  mkdirSync(join(home.logs, 'anchors'), { recursive: true })
  for (const name of ['signer', 'anchors/anc1-sep', 'anchors/anc1-business'])
    writeFileSync(join(home.logs, `${name}.log`), `from ${name}\n`)
  const show = async (word: string) => {
    const said: string[] = []
    const say = (text: string) => void said.push(text)
    const progress = { ...terminalProgress(true), plain: say, heading: say }
    const environment = { ...process.env, PLATFORM_DATABASE_URL: database.url }
    await logs.run({ args: [word], environment, home, progress })
    return said.join('\n')
  }
  expect(await show('mumbai')).toMatch(/from anchors\/anc1-business\n[^]*from anchors\/anc1-sep$/)
  await expect(show('lotus')).rejects.toThrow(
    'There is no log of "lotus". Logs: anchors/anc1-business, anchors/anc1-sep, signer. Anchors: mumbai.',
  )
})
