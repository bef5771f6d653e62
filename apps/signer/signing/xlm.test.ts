import { Asset, Operation, type Transaction, type xdr } from '@stellar/stellar-sdk/base'
import { putSigningLimits, signIssue } from '@windlass/contracts/internal/signer.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AnchorAtSigner } from '../testing/running-signer.ts'
import {
  askPayment,
  ERROR,
  mumbai,
  seen,
  signer,
  startTwoAnchors,
  transactionOf,
  wallet,
} from '../testing/two-anchors.ts'

startTwoAnchors()

const native = Asset.native()

describe('an anchor of XLM', () => {
  let anchor: AnchorAtSigner
  beforeEach(async () => {
    anchor = await signer.addAnchor(`xlm-${mumbai.id}`, { issuer: 'native' })
  })
  const built = (operations: xdr.Operation[], sequence = '1') =>
    transactionOf(operations, { sequence, source: anchor.accounts.distribution }, anchor)
  const ask = (transaction: Transaction) => askPayment(transaction, anchor.credentials.business)
  const pay = (amount: string, sequence?: string) =>
    ask(built([Operation.payment({ asset: native, amount, destination: wallet })], sequence))
  const open = (startingBalance: string, sequence?: string) =>
    ask(built([Operation.createAccount({ destination: wallet, startingBalance })], sequence))

  it('has no issuing key, and its memo requirement signed, but no trustline and no payment with it', async () => {
    expect(anchor.accounts.issuer).toBe('native')
    const requires = Operation.manageData({ name: 'config.memo_required', value: '1' })
    const asked = (operations: xdr.Operation[]) =>
      signer.control.call(signIssue, {
        params: { anchorId: anchor.id },
        body: { account: anchor.accounts.distribution, transaction: built(operations).toXdr() },
      })
    await asked([requires, Operation.setOptions({ homeDomain: `${anchor.id}.anchors.test` })])
    const payment = Operation.payment({ asset: native, amount: '1', destination: wallet })
    await expect(asked([requires, payment])).rejects.toMatchObject(ERROR.refused)
  })

  it('has payments and new accounts signed within the limit of an hour, which both count against', async () => {
    await pay('600', '1')
    await open('300', '2')
    expect(await seen(anchor)).toMatchObject({ lastHour: '900' })
    await expect(open('100.0000001', '3')).rejects.toMatchObject(ERROR.limited)
    await expect(pay('100.0000001', '3')).rejects.toMatchObject(ERROR.limited)
    await open('100', '3')
  })

  it('pays nobody but those who are named, by an account that it opens neither', async () => {
    const { limits } = await seen(anchor)
    await signer.control.call(putSigningLimits, {
      params: { anchorId: anchor.id },
      body: { ...limits, destinations: [anchor.accounts.signing] },
    })
    await expect(open('5')).rejects.toMatchObject(ERROR.refused)
    await expect(pay('5')).rejects.toMatchObject(ERROR.refused)
  })
})

it('opens no account for an anchor of another asset', async () => {
  const opening = transactionOf([Operation.createAccount({ destination: wallet, startingBalance: '5' })])
  await expect(askPayment(opening)).rejects.toMatchObject(ERROR.refused)
})
