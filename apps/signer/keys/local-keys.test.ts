import { createServerSigner } from '@windlass/client/signer.ts'
import { generateKey, seedSigner } from '@windlass/stellar/keys.ts'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { challengeOf, mumbai, signer, startTwoAnchors } from '../testing/two-anchors.ts'

startTwoAnchors()

describe('local keys', () => {
  it('are those of an earlier version where they are handed over, and stay the same through a restart', async () => {
    const seeds = [generateKey(), generateKey(), generateKey()]
    const [issuer, distribution, signing] = seeds.map(({ secret }) => secret)
    const pune = await signer.addAnchor('pune', {
      seeds: { issuer: issuer!, distribution: distribution!, signing: signing! },
    })
    expect(Object.values(pune.accounts)).toEqual(seeds.map(({ publicKey }) => publicKey))
    const newer = `v2:${Buffer.alloc(32, 9).toString('base64')}`
    await signer.restart({ SIGNER_KEY: `${newer},${signer.settings.SIGNER_KEY}` })
    await signer.restart({ SIGNER_KEY: newer })
    expect((await signer.addAnchor('pune')).accounts).toEqual(pune.accounts)
    const challenge = challengeOf(pune)
    const again = await signer.addAnchor('pune')
    const signature = await createServerSigner(signer.url, again.credentials.sep).challenge(challenge.toXdr())
    expect(signature).toEqual(await seedSigner(signing!).sign(challenge))
    signer.settings.SIGNER_KEY = newer
  })

  it('lie in no column of the database in plain text', async () => {
    const client = new pg.Client({ connectionString: signer.databaseUrl })
    await client.connect()
    const { rows } = await client.query('select * from keys')
    const anchors = await client.query('select * from anchors')
    await client.end()
    expect(rows.length).toBeGreaterThan(5)
    expect(JSON.stringify(rows)).not.toMatch(/S[A-Z2-7]{55}/)
    const text = JSON.stringify(anchors.rows)
    expect(text).not.toContain(mumbai.credentials.sep)
    expect(text).not.toContain(mumbai.credentials.business)
  })

  it('sign for no other address than their own, whatever the database says', async () => {
    const client = new pg.Client({ connectionString: signer.databaseUrl })
    await client.connect()
    const ask = () =>
      createServerSigner(signer.url, mumbai.credentials.sep).challenge(challengeOf(mumbai).toXdr())
    await ask()
    const { rows } = await client.query(
      "select reference from keys where anchor_id = $1 and role = 'signing'",
      [mumbai.id],
    )
    const other = await client.query(
      "select reference from keys where anchor_id = $1 and role = 'distribution'",
      [mumbai.id],
    )
    const put = (reference: string) =>
      client.query("update keys set reference = $2 where anchor_id = $1 and role = 'signing'", [
        mumbai.id,
        reference,
      ])
    try {
      await put(other.rows[0].reference)
      await signer.restart()
      await expect(ask()).rejects.toMatchObject({ status: 503 })
    } finally {
      await put(rows[0].reference)
      await client.end()
      await signer.restart()
    }
    expect(await ask()).toHaveLength(64)
  })
})
