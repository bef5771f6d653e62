import { Keypair } from '@stellar/stellar-sdk/base'
import { describe, expect, it } from 'vitest'
import { fundedWallet, logIn, openTrustline, registerWallet, until } from '../wallet.ts'
import { ask, running } from './anchor-under-test.ts'

describe('the sandbox', () => {
  it('pays a deposit over HTTP, once it waits for its payment, and for its own wallet only', async () => {
    const wallet = await fundedWallet(running)
    await openTrustline(running, wallet)
    const token = await logIn(running, wallet)
    const { id } = (await ask('/sep6/deposit?asset_code=MUMBAI&amount=10&type=upi', { token })).body
    const read = async () => (await ask(`/sep6/transaction?id=${id}`, { token })).body.transaction
    const becomes = (status: string) => until(status, async () => (await read()).status === status)
    const pay = (json: object, of = token) =>
      ask(`/sandbox/transactions/${id}/payment`, { method: 'POST', token: of, json })
    await becomes('pending_customer_info_update')
    expect(await pay({})).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('identifying') },
    })
    registerWallet(running, wallet)
    await ask('/sep12/customer', { method: 'PUT', token, json: { first_name: 'A' } })
    await becomes('pending_user_transfer_start')

    expect((await pay({}, await logIn(running, Keypair.random()))).status).toBe(404)
    expect((await pay({ amount: '0' })).status).toBe(400)
    const { amount_in, instructions } = await read()
    const paid = await pay({})
    expect(paid.status).toBe(202)
    expect(paid.body).toMatchObject({
      rail: 'UPI',
      currency: 'INR',
      reference: instructions.reference.value,
    })
    expect(Number(paid.body.amount)).toBe(Number(amount_in))
    await becomes('completed')
    expect((await pay({})).status).toBe(400)
  })

  it('does not pay withdrawals', async () => {
    const { id } = (await ask('/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=asha@okbank&amount=10')).body
    const pay = () => ask(`/sandbox/transactions/${id}/payment`, { method: 'POST', json: {} })
    await until('the transfer', async () => (await pay()).body.error?.includes('no deposit'))
    expect((await pay()).status).toBe(404)
  })
})
