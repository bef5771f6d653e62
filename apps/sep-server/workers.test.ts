import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSepApp, type SepApp } from './testing/sep-app.ts'
import { startWorkers } from './workers.ts'

let app: SepApp
beforeAll(async () => {
  app = await startSepApp()
})
afterAll(() => app.close())

const SOON = { timeout: 30_000 }
const rows = async (text: string) => (await app.deps.database.pool.query(text)).rowCount

it(
  'deletes and encrypts what is old soon after its start, for it may sleep a minute later',
  { timeout: 180_000 },
  async () => {
    await rows("insert into sep10_used_challenges (hash, expires_at) values ('a', now() - interval '1 day')")
    await rows(`
    insert into transactions (id, sep, kind, status, account, fields)
    values ('7b0f3c1e-0000-4000-8000-000000000001', '6', 'withdrawal', 'completed', 'G', '{"dest": "1234567890"}')`)
    await rows(`
    insert into sealing (under, since)
    values ('${app.deps.config.anchor.version} v${[...app.deps.config.detailsKeys.keys()][0]}', now() - interval '1 hour')`)
    const workers = startWorkers(app.deps)
    try {
      await expect.poll(() => rows('select 1 from sep10_used_challenges'), SOON).toBe(0)
      await expect.poll(() => rows("select 1 from transactions where fields <> '{}'"), SOON).toBe(0)
    } finally {
      await workers.stop()
    }
  },
)
