import { createClient } from '@windlass/client/client.ts'
import { submitApplication } from '@windlass/contracts/platform/applications.ts'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { repeat } from './repeat.ts'

/** Founders apply all the time. */
export function startApplying(variables: Readonly<Record<string, string>>) {
  const visitor = createClient({ baseUrl: variables.PLATFORM_URL ?? '' })
  const acknowledged: string[] = []
  const applying = repeat(async () => {
    const word = randomBytes(4).toString('hex')
    const companyProfile = { name: `Load ${word}`, businessEmail: `load-${word}@example.com` }
    const body = { companyProfile, stellarConfig: {}, paymentRails: {}, compliance: {} }
    acknowledged.push((await visitor.call(submitApplication, { body })).id)
  })
  /** Ids of applications that were acknowledged and are not in the platform's database. */
  const lostIn = async (superuserUrl: string): Promise<string[]> => {
    const connectionString = superuserUrl.replace(/postgres$/, 'windlass_platform')
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      const { rows } = await client.query<{ id: string }>('select id::text from applications')
      return acknowledged.filter(id => !rows.some(row => row.id === id))
    } finally {
      await client.end()
    }
  }
  return { ...applying, lostIn }
}
