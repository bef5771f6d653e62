import { Asset, Operation, StrKey, type Transaction, type xdr } from '@stellar/stellar-sdk/base'
import { createServerSigner, issueSigner } from '@windlass/client/signer.ts'
import {
  putSigningLimits,
  signIssue,
  signPayment,
  type SigningLimits,
} from '@windlass/contracts/internal/signer.ts'
import { transferOperation } from '@windlass/stellar/asset-contract.ts'
import { addSignature, generateKey } from '@windlass/stellar/keys.ts'
import pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { PASSPHRASE, type AnchorAtSigner } from '../testing/running-signer.ts'
import {
  askPayment,
  assetOf,
  ERROR,
  mumbai,
  reservesOf,
  seen,
  signer,
  startTwoAnchors,
  transactionOf,
  wallet,
} from '../testing/two-anchors.ts'

startTwoAnchors()

describe('the control plane', () => {
  const asset = () => assetOf(mumbai)
  const issue = (more: xdr.Operation[] = [], amount = '10000') => {
    const { issuer, distribution } = mumbai.accounts
    const operations = [
      Operation.changeTrust({ asset: asset(), source: distribution }),
      Operation.payment({ asset: asset(), amount, destination: distribution }),
      Operation.manageData({ name: 'config.memo_required', value: '1', source: distribution }),
      Operation.setOptions({ homeDomain: `${mumbai.id}.anchors.test`, source: issuer }),
      ...more,
    ]
    return transactionOf(operations, { source: issuer })
  }

  it('has the issue of the asset signed by both accounts', async () => {
    const transaction = issue()
    for (const account of [mumbai.accounts.issuer, mumbai.accounts.distribution]) {
      await addSignature(transaction, issueSigner(signer.control, mumbai.id, account))
    }
    expect(transaction.signatures).toHaveLength(2)
  })

  it.each<[string, () => Transaction]>([
    ['more than was planned', () => issue([], '10000.0000001')],
    [
      'twice in one transaction',
      () =>
        issue([
          Operation.payment({ asset: asset(), amount: '1', destination: mumbai.accounts.distribution }),
        ]),
    ],
    [
      'to someone else',
      () => issue([Operation.payment({ asset: asset(), amount: '1', destination: wallet })]),
    ],
    [
      'with another signer of the issuer',
      () => issue([Operation.setOptions({ masterWeight: 0, homeDomain: `${mumbai.id}.anchors.test` })]),
    ],
    ['and merges the issuer', () => issue([Operation.accountMerge({ destination: wallet })])],
  ])('does not issue %s', async (_, build) => {
    const body = { account: mumbai.accounts.issuer, transaction: build().toXdr() }
    const asked = signer.control.call(signIssue, { params: { anchorId: mumbai.id }, body })
    await expect(asked).rejects.toMatchObject(ERROR.refused)
  })
})

describe('an anchor of an asset that exists', () => {
  const issuer = generateKey()
  let anchor: AnchorAtSigner
  beforeEach(async () => {
    anchor = await signer.addAnchor(`existing-${mumbai.id}`, { issuer: issuer.publicKey })
  })
  const homeDomain = () => `${anchor.id}.anchors.test`
  const opening = (more: xdr.Operation[] = [], source = anchor.accounts.distribution) =>
    transactionOf(
      [
        Operation.changeTrust({ asset: assetOf(anchor), source: anchor.accounts.distribution }),
        Operation.manageData({ name: 'config.memo_required', value: '1' }),
        Operation.setOptions({ homeDomain: homeDomain() }),
        ...more,
      ],
      { source },
      anchor,
    )
  const ask = (account: string, transaction: Transaction) =>
    signer.control.call(signIssue, {
      params: { anchorId: anchor.id },
      body: { account, transaction: transaction.toXdr() },
    })

  it('has its trustline and its payments signed, and no key of the issuer', async () => {
    expect(anchor.accounts.issuer).toBe(issuer.publicKey)
    const database = new pg.Client(signer.databaseUrl)
    await database.connect()
    const { rows } = await database.query('select role from keys where anchor_id = $1 order by role', [
      anchor.id,
    ])
    await database.end()
    expect(rows).toEqual([{ role: 'distribution' }, { role: 'signing' }])
    await ask(anchor.accounts.distribution, opening())
    const asset = assetOf(anchor)
    const payment = transactionOf(
      [Operation.payment({ asset, amount: '5', destination: wallet })],
      {},
      anchor,
    )
    await signer.as(anchor.credentials.business).call(signPayment, { body: { transaction: payment.toXdr() } })
  })

  it.each<[string, () => Transaction]>([
    [
      'a payment',
      () => opening([Operation.payment({ asset: assetOf(anchor), amount: '1', destination: wallet })]),
    ],
    [
      'a trustline for a look-alike',
      () => opening([Operation.changeTrust({ asset: new Asset('MUMBAI', mumbai.accounts.issuer) })]),
    ],
    ['a transaction of the issuer', () => opening([], issuer.publicKey)],
    [
      'options of the issuer',
      () => opening([Operation.setOptions({ homeDomain: homeDomain(), source: issuer.publicKey })]),
    ],
  ])('has %s refused', async (_, build) => {
    await expect(ask(anchor.accounts.distribution, build())).rejects.toMatchObject(ERROR.refused)
    await expect(ask(issuer.publicKey, build())).rejects.toMatchObject(ERROR.refused)
  })

  it('has statements of its reserves signed, of this asset alone', async () => {
    const { statement } = createServerSigner(signer.url, anchor.credentials.business)
    await statement(JSON.stringify(reservesOf(anchor)))
    const asset = { code: 'MUMBAI', issuer: mumbai.accounts.issuer }
    await expect(statement(JSON.stringify({ ...reservesOf(anchor), asset }))).rejects.toMatchObject(
      ERROR.refused,
    )
  })

  it('has payments of a look-alike refused', async () => {
    const asset = new Asset('MUMBAI', mumbai.accounts.issuer)
    const payment = transactionOf(
      [Operation.payment({ asset, amount: '5', destination: wallet })],
      {},
      anchor,
    )
    const asked = signer.as(anchor.credentials.business)
    await expect(asked.call(signPayment, { body: { transaction: payment.toXdr() } })).rejects.toMatchObject(
      ERROR.refused,
    )
  })
})

describe('an anchor of several assets', () => {
  const [issuer, other] = [generateKey().publicKey, generateKey().publicKey]
  const eurc = new Asset('EURC', issuer)
  const contract = eurc.contractId(PASSPHRASE)
  let anchor: AnchorAtSigner
  beforeEach(async () => {
    anchor = await signer.addAnchor(`several-${mumbai.id}`, { furtherAssets: [{ code: 'EURC', issuer }] })
  })
  const ask = (operation: xdr.Operation, sequence = '1') =>
    askPayment(transactionOf([operation], { sequence }, anchor), anchor.credentials.business)
  const payOf = (asset: Asset, amount: string) => Operation.payment({ asset, amount, destination: wallet })
  const own = () => assetOf(anchor)

  it('has payments of each signed, each within a limit of its own', async () => {
    await ask(payOf(own(), '1000'), '1')
    await ask(payOf(eurc, '150'), '2')
    await expect(ask(payOf(eurc, '50.1'), '3')).rejects.toMatchObject({
      ...ERROR.limited,
      problem: {
        detail: expect.stringContaining('This payment of 50.1 EURC would bring the last hour to 200.1'),
      },
    })
    await ask(payOf(eurc, '50'), '3')
    await expect(ask(payOf(own(), '0.1'), '4')).rejects.toMatchObject(ERROR.limited)
    expect(await seen(anchor)).toMatchObject({
      lastHour: '1000',
      limits: { perHour: '1000', further: [{ asset: `EURC:${issuer}`, perHour: '200' }] },
      further: [{ asset: `EURC:${issuer}`, lastHour: '200' }],
    })
  })

  it('counts the largest of each asset among payments of which one can apply', async () => {
    await ask(payOf(eurc, '150'))
    await ask(payOf(own(), '900'))
    await ask(payOf(eurc, '100'))
    await expect(ask(payOf(eurc, '51'), '2')).rejects.toMatchObject(ERROR.limited)
    await expect(ask(payOf(own(), '101'), '2')).rejects.toMatchObject(ERROR.limited)
    await ask(payOf(eurc, '50'), '2')
  })

  it('has a limit set for one of them, which stays where later limits do not name it', async () => {
    const limits = { perHour: '1000', perPayment: null, xlmPerHour: '5', destinations: null }
    const limit = (asset: string) => [{ asset, perHour: '10' }]
    const put = (body: SigningLimits) =>
      signer.control.call(putSigningLimits, { params: { anchorId: anchor.id }, body })
    await put({ ...limits, further: limit(`EURC:${issuer}`) })
    expect((await put(limits)).limits.further).toEqual(limit(`EURC:${issuer}`))
    await expect(put({ ...limits, further: limit(`EURC:${other}`) })).rejects.toMatchObject({ status: 400 })
    await expect(ask(payOf(eurc, '10.1'))).rejects.toMatchObject(ERROR.limited)
    await ask(payOf(own(), '1000'))
    const to = StrKey.encodeContract(Buffer.alloc(32, 7))
    const call = { contract, from: anchor.accounts.distribution, to, amount: 100_000_000n }
    await ask(transferOperation(call), '2')
    await expect(ask(transferOperation(call), '3')).rejects.toMatchObject(ERROR.limited)
  })

  it.each([
    ['another issuer', new Asset('EURC', other)],
    ['another code of the same issuer', new Asset('EURX', issuer)],
    ['the code of the first asset by the issuer of a further one', new Asset('MUMBAI', issuer)],
  ])('has payments of a look-alike refused: %s', async (_, asset) => {
    await expect(ask(payOf(asset, '1'))).rejects.toMatchObject(ERROR.refused)
  })

  it('has a trustline for each signed with the issue, and none for another asset', async () => {
    const { accounts } = anchor
    const source = accounts.distribution
    const issuing = (asset: Asset) =>
      transactionOf(
        [
          Operation.changeTrust({ asset: own(), source }),
          Operation.payment({ asset: own(), amount: '10000', destination: source }),
          Operation.changeTrust({ asset, source }),
        ],
        { source: accounts.issuer },
        anchor,
      )
    const transaction = issuing(eurc)
    await addSignature(transaction, issueSigner(signer.control, anchor.id, accounts.issuer))
    await addSignature(transaction, issueSigner(signer.control, anchor.id, source))
    expect(transaction.signatures).toHaveLength(2)
    await expect(
      addSignature(issuing(new Asset('EURC', other)), issueSigner(signer.control, anchor.id, source)),
    ).rejects.toMatchObject(ERROR.refused)
  })
})
