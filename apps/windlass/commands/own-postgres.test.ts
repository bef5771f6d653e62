import { expect, inject, it } from 'vitest'
import { checkOwnDatabases } from './own-postgres.ts'

it('a Postgres of the operator’s own is named with its version, or with why it cannot be used', async () => {
  const wrong = Object.assign(new URL(inject('postgresUrl')), { password: 'wrong' }).href
  const verdicts = await checkOwnDatabases({
    PLATFORM_DATABASE_URL: inject('postgresUrl'),
    SIGNER_DATABASE_URL: wrong,
    AGGREGATOR_DATABASE_URL: 'postgres://a:b,c@pg1:5432,pg2:5432/aggregator',
    ANCHORS_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  })
  expect(verdicts).toEqual([
    { state: 'good', text: expect.stringMatching(/^PLATFORM_DATABASE_URL: Postgres 1[5-9]/) },
    { state: 'bad', text: expect.stringMatching(/^AGGREGATOR_DATABASE_URL.* names several hosts/) },
    { state: 'bad', text: expect.stringMatching(/^SIGNER_DATABASE_URL: password authentication failed/) },
    { state: 'bad', text: expect.stringMatching(/^ANCHORS_DATABASE_URL: connect ECONNREFUSED/) },
  ])
})
