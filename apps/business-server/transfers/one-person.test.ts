import type { IdentityDigests } from '@windlass/contracts/internal/internal.ts'
import { type AnchorSettings, plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { CustomerOverview } from '@windlass/contracts/anchor/developer-api.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiveRailPayment } from '../payments/receive-rail-payment.ts'
import { recordName } from '../people/compliance/screened-names.ts'
import { compareNames } from '../people/compliance/compare-names.ts'
import { customerOverview } from '../people/customers/overview.ts'
import { deleteCustomer, readCustomer } from '../people/customers/sep12.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { euXml } from '../testing/sanctions-lists.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import type { Transfer } from '../tables.ts'
import type { RegisteredCustomer } from '../outgoing/clients/customer-registry.ts'
import { acceptTransaction } from './accept.ts'
import { confirm } from './confirm.ts'
import { whetherServed } from './countries.ts'
import { detachCustomer } from './detach-customer.ts'
import { addDebt } from './debts.ts'
import { lockDispute } from './disputes.ts'
import { findTransfer } from './find.ts'
import { findMovement } from '../payments/hold-payments.ts'
import { reportedBy } from '../testing/reported-by.ts'

interface Someone {
  customerId: string
  account: string
}

let app: BusinessApp
const known = new Map<string, { customerId: string; identity: IdentityDigests; status: 'ACCEPTED' }>()
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async address => {
    const found = known.get(address)
    return found ? { ...found, walletVerified: true } : null
  }
  const planned: AnchorSettings = plannedSettings(app.deps.config.anchor.plan)
  const none = { transaction: null, day: null, month: null }
  const tiers = { standard: { ...none, day: '60' }, enhanced: none }
  const settings = { ...planned, limits: { ...planned.limits, tiers } }
  const answer = await admin('PUT', '/admin/settings', { settings, version: 0, by: 'operator:asha' })
  expect(answer.statusCode).toBe(200)
})
afterAll(() => app.close())

const admin = (method: 'GET' | 'PUT' | 'POST', url: string, payload?: object) =>
  app.server.app.inject({
    method,
    url,
    headers: asPlatform(app.deps.config.secrets),
    ...(payload ? { payload } : {}),
  })

/** Who signs in with an address of their own, and what the platform says of their identity. */
async function signsIn(identity: Partial<IdentityDigests>): Promise<Someone> {
  const [account, customerId] = [generateKey().publicKey, `cus_${randomUUID()}`]
  known.set(account, {
    customerId,
    status: 'ACCEPTED',
    identity: { documents: [], names: [], ...identity },
  })
  await begin(account, '1')
  expect((await readCustomer(app.deps, { account })).status).toBe('ACCEPTED')
  return { account, customerId }
}

/** The first person, and one who comes with the same document under another address. */
async function twoAddresses(): Promise<[Someone, Someone]> {
  const documents = [randomUUID()]
  return [await signsIn({ documents }), await signsIn({ documents })]
}

const begin = (account: string, amount: string): Promise<Transfer> =>
  acceptTransaction(app.deps, reportedBy(account, { amount_expected: { amount } }))

const agree = async ({ account }: Someone, amount: string) =>
  confirm(app.deps, (await begin(account, amount)).id)

const idOf = async ({ account }: Someone): Promise<string> =>
  (
    await app.deps.database.pool.query<{ id: string }>('select id from customers where account = $1', [
      account,
    ])
  ).rows[0]?.id ?? ''

const alike = async (someone: Someone) =>
  (
    await customerOverview(app.deps, await idOf(someone)).then(
      ({ samePerson }: CustomerOverview) => samePerson,
    )
  )?.map(({ account, by }) => [account, by])

describe('a person with two addresses and one document', () => {
  it('has the limits of one person, at once too, and after the first account is deleted', async () => {
    const [first, second] = await twoAddresses()
    await agree(first, '45')
    await expect(agree(second, '20')).rejects.toThrow('at most 60 is possible in 24 hours; 15 is left')
    const both = await Promise.allSettled([first, second].map(each => agree(each, '10')))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await deleteCustomer(app.deps, await idOf(first), detachCustomer)
    await expect(agree(second, '20')).rejects.toThrow('; 5 is left')
  })

  it('is one person for the monitoring rules', async () => {
    const [first, second] = await twoAddresses()
    const transfer = await agree(second, '20')
    const movement = await findMovement(app.deps, app.deps.database.db, transfer.id)
    expect(movement?.person).toEqual(
      expect.arrayContaining([`person ${first.customerId}`, `person ${second.customerId}`]),
    )
  })

  it('agrees to nothing while the other account owes something', async () => {
    const [first, second] = await twoAddresses()
    const owed = await agree(first, '5')
    await addDebt(app.deps.database.db, owed, {
      cause: 'line',
      amount: '5',
      reason: 'FOCR',
    })
    await expect(agree(second, '5')).rejects.toThrow('your bank took back a payment')
  })

  it('agrees to nothing while the other account disputes a payment', async () => {
    const [first, second] = await twoAddresses()
    const deposit = await agree(first, '5')
    const { db } = app.deps.database
    const dispute = { disputeId: 'disp_1', paymentId: 'pay_1', currency: deposit.currency, amount: '5' }
    const open = { state: 'open', round: 0, deducted: '0', reason: 'fraud', respondBy: null } as const
    await db.transaction().execute(tx => lockDispute(tx, deposit.rail, { ...dispute, ...open }, deposit))
    await expect(agree(second, '5')).rejects.toThrow('a payment of yours is disputed')
  })

  it('gets money back once the provider rejected the other account', async () => {
    const [first, second] = await twoAddresses()
    const deposit = await agree(second, '5')
    await app.deps.database.pool.query("update kyc_statuses set status = 'REJECTED' where central_id = $1", [
      first.customerId,
    ])
    await receiveRailPayment(app.deps, deposit.rail, {
      ...{ kind: 'received', paymentId: randomUUID(), reference: deposit.reference ?? '' },
      ...{ amount: deposit.fiat_amount ?? '', currency: deposit.currency },
    })
    expect(await findTransfer(app.deps.database.db, deposit.id)).toMatchObject({ state: 'returning' })
  })

  it('is tied together by an account that showed the documents of both', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    const [first, second] = [await signsIn({ documents: [one] }), await signsIn({ documents: [other] })]
    await agree(first, '45')
    await signsIn({ documents: [one, other] })
    await expect(agree(second, '20')).rejects.toThrow('; 15 is left')
    expect(await alike(second)).toContainEqual([first.account, 'document'])
  })

  it('is served no more once a hit about the other account was confirmed, also after that one is deleted', async () => {
    const [first, second] = await twoAddresses()
    await agree(first, '5')
    const list = await app.server.app.inject({
      method: 'POST',
      url: '/admin/sanctions-lists?fileName=list.xml&by=operator:asha',
      headers: { ...asPlatform(app.deps.config.secrets), 'content-type': 'application/octet-stream' },
      payload: euXml([{ id: 1, name: 'Qadir Testow' }]),
    })
    expect(list.statusCode).toBe(201)
    const { database, sealer } = app.deps
    const subject = { kind: 'customer', id: await idOf(first) } as const
    await recordName(database.db, sealer, { subject, role: 'verified', name: 'Qadir Testow' })
    await compareNames(app.deps)
    const {
      rows: [hit],
    } = await database.pool.query<{ id: string }>('select id from screening_hits')
    const decision = {
      decision: 'confirm',
      reason: 'It is the same person.',
      evidence: 'Passport',
      by: 'operator:asha',
    }
    expect((await admin('POST', `/admin/screening-hits/${hit?.id}/decision`, decision)).statusCode).toBe(200)
    const refused = 'The anchor does not take this transaction.'
    await expect(agree(second, '5')).rejects.toThrow(refused)
    expect(await whetherServed(app.deps, await readCustomer(app.deps, second), true)).toMatchObject({
      status: 'REJECTED',
    })
    await deleteCustomer(app.deps, subject.id, detachCustomer)
    await expect(agree(second, '5')).rejects.toThrow(refused)
  })
})

it('is untied from who passed with a stolen document, once the provider declined that one', async () => {
  const [victim, thief] = await twoAddresses()
  const owed = await agree(thief, '5')
  await addDebt(app.deps.database.db, owed, { cause: 'second line', amount: '5', reason: 'FOCR' })
  await expect(agree(victim, '5')).rejects.toThrow('your bank took back a payment')
  const saying = async (said: (id: string) => RegisteredCustomer | null) => {
    app.deps.customerRegistry.byId = async id => said(id)
    // It is not known for so long without asking.
    await app.deps.database.pool.query(
      "update kyc_statuses set updated_at = updated_at - interval '11 minutes'",
    )
    await readCustomer(app.deps, { account: victim.account })
  }
  // One who left the platform is tied as before.
  await saying(() => null)
  await expect(agree(victim, '5')).rejects.toThrow('your bank took back a payment')
  const none = { documents: [], names: [] }
  await saying(id => ({ customerId: id, status: 'REJECTED', identity: none }))
  expect(await alike(victim)).toEqual([])
  expect((await agree(victim, '5')).state).toBe('awaiting_funds')
})

it('a name and a birthday in common are shown, and nothing counts together', async () => {
  const names = [randomUUID()]
  const [first, second] = [await signsIn({ names }), await signsIn({ names })]
  await agree(first, '45')
  expect((await agree(second, '45')).state).toBe('awaiting_funds')
  expect(await alike(second)).toEqual([[first.account, 'name']])
  expect(await alike(first)).toEqual([[second.account, 'name']])
})
