import { Account, Asset, Operation, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base'
import { findFundingSigner } from '@windlass/client/signer.ts'
import { putSigningTerms, signFunding, signIssue } from '@windlass/contracts/internal/signer.ts'
import { addSignature, generateKey } from '@windlass/stellar/keys.ts'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'
import {
  PASSPHRASE,
  startSigner,
  termsOf,
  type AnchorAtSigner,
  type RunningSigner,
} from './testing/running-signer.ts'

const purse = generateKey()
let signer: RunningSigner
let mumbai: AnchorAtSigner
let database: pg.Client
let sequence = 1n
beforeAll(async () => {
  signer = await startSigner({ FUNDING_ACCOUNT: purse.secret, FUNDING_XLM_PER_HOUR: '40' })
  mumbai = await signer.addAnchor('mumbai')
  database = new pg.Client(signer.databaseUrl)
  await database.connect()
})
beforeEach(async () => {
  signer.ledger.set(purse.publicKey, sequence)
  await database.query('delete from funding')
})
afterAll(async () => {
  await database.end()
  await signer.stop()
})

const stranger = generateKey().publicKey
const open = (destination: string, startingBalance = '5') =>
  Operation.createAccount({ destination, startingBalance })
const pay = (destination: string, amount = '5', asset = Asset.native()) =>
  Operation.payment({ destination, amount, asset })

interface Form {
  source?: string
  sequence?: bigint
  fee?: string
  maxTime?: number
}

function transactionOf(operations: xdr.Operation[], form: Form = {}) {
  const { source = purse.publicKey, fee = '100', maxTime = Math.floor(Date.now() / 1_000) + 180 } = form
  const account = new Account(source, String((form.sequence ?? ++sequence) - 1n))
  const builder = new TransactionBuilder(account, {
    fee,
    networkPassphrase: PASSPHRASE,
    timebounds: { minTime: 0, maxTime },
  })
  for (const operation of operations) builder.addOperation(operation)
  return builder.build()
}

const ask = (operations: xdr.Operation[], form?: Form, anchorId = mumbai.id) =>
  signer.control.call(signFunding, {
    body: { anchorId, transaction: transactionOf(operations, form).toXdr() },
  })
const counted = async () =>
  (await database.query<{ xlm: string }>('select coalesce(sum(xlm), 0)::text as xlm from funding')).rows[0]
    ?.xlm
const REFUSED = { status: 403, problem: { code: 'signature-refused' } }
const LIMITED = { status: 429, problem: { code: 'signing-limit-reached' } }

describe('the funding account', () => {
  it('opens an anchor’s accounts and tops up its distribution account', async () => {
    const payer = await findFundingSigner(signer.control, mumbai.id)
    expect(payer?.address).toBe(purse.publicKey)
    if (!payer) return
    const opening = transactionOf(Object.values(mumbai.accounts).map(account => open(account)))
    await addSignature(opening, payer)
    await addSignature(transactionOf([pay(mumbai.accounts.distribution)]), payer)
    const bump = TransactionBuilder.buildFeeBumpTransaction(purse.publicKey, '5000', opening, PASSPHRASE)
    await addSignature(bump, payer)
    // The bump counts in place of what it raises.
    expect(await counted()).toBe(String(200_000_100 + Number(bump.fee)))
  })

  it('opens accounts of several anchors by one transaction, asked for any of them', async () => {
    const pune = await signer.addAnchor(`pune${sequence}`)
    const [one, other] = [mumbai.accounts.issuer, pune.accounts.issuer]
    await ask([open(one), open(other)])
    await ask([open(one), pay(pune.accounts.distribution)])
    await expect(ask([open(one), pay(pune.accounts.signing)])).rejects.toMatchObject(REFUSED)
    await expect(ask([open(one), open(stranger)])).rejects.toMatchObject(REFUSED)
    expect(await counted()).toBe('200000400')
  })

  it.each<[string, () => xdr.Operation[], Form?]>([
    ['a stranger’s account', () => [open(stranger)]],
    ['XLM to a stranger', () => [pay(stranger)]],
    ['XLM to an account of the anchor that needs none', () => [pay(mumbai.accounts.signing)]],
    ['another asset', () => [pay(mumbai.accounts.distribution, '5', new Asset('USD', stranger))]],
    ['one account twice', () => [pay(mumbai.accounts.distribution), pay(mumbai.accounts.distribution)]],
    ['its whole balance', () => [Operation.accountMerge({ destination: mumbai.accounts.distribution })]],
    [
      'another signer for itself',
      () => [Operation.setOptions({ homeDomain: 'evil.example', masterWeight: 0 })],
    ],
    ['nothing', () => [Operation.bumpSequence({ bumpTo: '9223372036854775807' })]],
    [
      'XLM of an anchor',
      () => [
        Operation.payment({
          source: mumbai.accounts.distribution,
          destination: mumbai.accounts.distribution,
          amount: '1',
          asset: Asset.native(),
        }),
      ],
    ],
    ['a fee above the maximum', () => [open(mumbai.accounts.issuer)], { fee: '1000001' }],
    ['something that can wait', () => [open(mumbai.accounts.issuer)], { maxTime: 0 }],
    ['a transaction of another account', () => [open(mumbai.accounts.issuer)], { source: stranger }],
  ])('does not pay %s', async (_, operations, form) => {
    await expect(ask(operations(), form)).rejects.toMatchObject(REFUSED)
    expect(await counted()).toBe('0')
  })

  it('gives one account at most 10 XLM', async () => {
    await expect(ask([open(mumbai.accounts.issuer, '10.0000001')])).rejects.toMatchObject(LIMITED)
    await ask([open(mumbai.accounts.issuer, '10')])
  })

  it('pays at most the limit of an hour, for all anchors together and asked for all at once', async () => {
    const delhi = await signer.addAnchor(`delhi${sequence}`)
    const asked = [mumbai, delhi, mumbai, delhi, mumbai, delhi].map(({ id, accounts }) =>
      ask([pay(accounts.distribution, '9')], {}, id),
    )
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    expect(await counted()).toBe('360000400')
    await database.query(`update funding set signed_at = now() - interval '61 minutes'`)
    await ask([pay(mumbai.accounts.distribution, '9')])
  })

  it('loses no more than that in fees, whatever maximum the control plane sets', async () => {
    const credentials = mumbai.credentials
    const body = { ...termsOf(mumbai.id, credentials), maxFee: '999999999999' }
    await signer.control.call(putSigningTerms, { params: { anchorId: mumbai.id }, body })
    const inner = transactionOf([pay(mumbai.accounts.distribution)])
    const payer = await findFundingSigner(signer.control, mumbai.id)
    if (payer) await addSignature(inner, payer)
    const bump = TransactionBuilder.buildFeeBumpTransaction(purse.publicKey, '400000000', inner, PASSPHRASE)
    const asked = { anchorId: mumbai.id, transaction: bump.toXdr() }
    await expect(signer.control.call(signFunding, { body: asked })).rejects.toMatchObject(LIMITED)
    expect(await counted()).toBe('50000100')
    await signer.control.call(putSigningTerms, {
      params: { anchorId: mumbai.id },
      body: termsOf(mumbai.id, credentials),
    })
  })

  it('counts transactions with the same sequence number once, by the largest', async () => {
    const form = { sequence: ++sequence }
    for (const amount of ['3', '8', '5']) await ask([pay(mumbai.accounts.distribution, amount)], form)
    expect(await counted()).toBe('80000100')
  })

  it('signs nothing that issues, and the anchor’s servers have nothing signed by it', async () => {
    const transaction = transactionOf([pay(mumbai.accounts.distribution)]).toXdr()
    const body = { account: purse.publicKey, transaction }
    const params = { anchorId: mumbai.id }
    await expect(signer.control.call(signIssue, { params, body })).rejects.toMatchObject(REFUSED)
    for (const credential of Object.values(mumbai.credentials)) {
      const asked = signer.as(credential).call(signFunding, { body: { anchorId: mumbai.id, transaction } })
      await expect(asked).rejects.toMatchObject({ status: 401 })
    }
  })
})

describe('its setting', () => {
  const settings = () => signer.settings

  it('is required on the public network', () => {
    const mainnet = { ...settings(), IS_MAINNET: 'true', FUNDING_ACCOUNT: '' }
    expect(() => loadConfig(mainnet)).toThrow('FUNDING_ACCOUNT must be set')
    expect(loadConfig({ ...settings(), IS_MAINNET: 'true' }).funding.signer?.address).toBe(purse.publicKey)
  })

  it.each([
    ['FUNDING_ACCOUNT', purse.publicKey],
    ['FUNDING_XLM_PER_HOUR', 'much'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => loadConfig({ ...settings(), [name]: value })).toThrow(name)
  })
})
