import { describe, expect, it } from 'vitest'
import { pruneExternalAnchors } from '../registry/register.ts'
import { testAggregator } from '../testing/aggregator.ts'
import { externalAnchor } from '../testing/external-anchor.ts'

const coinHouse = externalAnchor()
const { register } = coinHouse

describe('a place in the registry', () => {
  it('is refused beyond the anchors that one registered domain can have, and those are updated still', async () => {
    await register()
    const { pool } = coinHouse.aggregator.deps.database
    const domains = async () =>
      (await pool.query('select domain from anchors where external is not null')).rows.map(row => row.domain)
    const other = await testAggregator({
      env: { EXTERNAL_ANCHORS_PER_SITE: '1' },
      databaseUrl: coinHouse.aggregator.databaseUrl,
    })
    const again = () => other.post('/external-anchors', { homeDomain: coinHouse.server.host })
    expect((await again()).status).toBe(200)
    const change = 'update anchors set id = $1, domain = $2, slug = $2 where external is not null'
    const [{ id }] = (await pool.query('select id from anchors where external is not null')).rows
    await pool.query(change, ['external-sibling', '127.0.0.1:1'])
    const { status, body } = await again()
    expect([status, body.detail]).toEqual([422, expect.stringContaining('as many anchors of 127.0.0.1 as')])
    expect(await domains()).toEqual(['127.0.0.1:1'])
    await pool.query(change, [id, coinHouse.server.host])
    await other.stop()
  })

  it('ends a week after a wallet could use the anchor last', async () => {
    await register()
    const { db, pool } = coinHouse.aggregator.deps.database
    const left = async (days: number, available: boolean) => {
      await pool.query(
        `update anchors set current_availability = $1, last_checked_at = now() - $2 * interval '1 day'
         where external is not null`,
        [available, days],
      )
      await pruneExternalAnchors(db, new Date())
      return (await pool.query('select 1 from anchors where external is not null')).rowCount
    }
    expect([await left(6, false), await left(8, true), await left(8, false)]).toEqual([1, 1, 0])
    expect((await register()).status).toBe(201)
  })
})
