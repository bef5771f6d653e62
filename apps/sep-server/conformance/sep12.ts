import { Account, MuxedAccount } from '@stellar/stellar-sdk/base'
import { describe, expect, it } from 'vitest'
import { MAILED_CODE } from '../testing/centre.ts'
import { fundedWallet, logIn, registerWallet } from '../testing/wallet.ts'
import { ask, key, stand } from './anchor-under-test.ts'

describe('SEP-12', () => {
  it('keeps customers of one account apart by memo, and needs an id for nobody', async () => {
    const wallet = await fundedWallet(stand)
    const one = await logIn(stand, wallet, { memo: '1' })
    const two = await logIn(stand, wallet, { memo: '2' })
    const unknown = await ask('/sep12/customer', { token: one })
    expect(unknown.body).toMatchObject({ status: 'NEEDS_INFO', fields: { first_name: { type: 'string' } } })
    expect(unknown.body.id).toBeUndefined()
    const put = await ask('/sep12/customer', { method: 'PUT', token: one, json: { first_name: 'A' } })
    expect(put.status).toBe(202)
    expect((await ask('/sep12/customer', { token: one })).body).toMatchObject({
      id: put.body.id,
      provided_fields: { first_name: { type: 'string' } },
    })
    expect((await ask(`/sep12/customer?id=${put.body.id}`, { token: two })).status).toBe(404)
    expect((await ask('/sep12/customer?memo=2', { token: one })).status).toBe(400)
    expect(
      (await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: two })).status,
    ).toBe(404)
    expect(
      (await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: one })).status,
    ).toBe(200)
    expect((await ask('/sep12/customer', { token: one })).body.id).toBeUndefined()
  })

  it('mails a code to a wallet the centre does not know, and takes it back', async () => {
    const wallet = await fundedWallet(stand)
    const mine = await logIn(stand, wallet)
    const details = new FormData()
    for (const [name, value] of Object.entries({
      first_name: 'A',
      last_name: 'B',
      email_address: 'a@b.example',
    })) {
      details.set(name, value)
    }
    details.set('photo_id_front', new Blob([new Uint8Array(1000)], { type: 'image/png' }), 'id.png')
    const put = await ask('/sep12/customer', { method: 'PUT', token: mine, body: details })
    expect(put.status).toBe(202)
    expect((await ask('/sep12/customer', { token: mine })).body).toMatchObject({
      status: 'NEEDS_INFO',
      fields: { email_address_verification: { type: 'string' } },
      provided_fields: { email_address: { status: 'VERIFICATION_REQUIRED' } },
    })
    const code = (email_address_verification: string) =>
      ask('/sep12/customer', {
        method: 'PUT',
        token: mine,
        json: { id: put.body.id, email_address_verification },
      })
    expect((await code('000000')).status).toBe(400)
    expect((await code(MAILED_CODE)).status).toBe(202)
    expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('PROCESSING')
    expect(stand.centre.customers.get('cus_a@b.example')?.wallets).toEqual(new Set([wallet.publicKey()]))
  })

  it('knows a muxed account by its owner', async () => {
    const muxed = new MuxedAccount(new Account(key.publicKey(), '0'), '9').accountId()
    const mine = await logIn(stand, key, { account: muxed })
    const put = await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
    expect((await ask(`/sep12/customer?id=${put.body.id}`, { token: mine })).body.status).toBe('ACCEPTED')
  })
})

it('an approval is asked for again after a while, so that the centre’s later word counts', async () => {
  const wallet = await fundedWallet(stand)
  const id = registerWallet(stand, wallet)
  const mine = await logIn(stand, wallet)
  await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  const centre = stand.centre.customers.get(id)
  if (centre) centre.status = 'REJECTED'
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  await stand.query(
    "update business.kyc_statuses set updated_at = now() - interval '11 minutes', completed_at = now() - interval '11 minutes' where central_id = $1",
    [id],
  )
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('REJECTED')
})
