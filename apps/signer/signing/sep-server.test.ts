import { Operation, hash, StrKey, xdr, type Transaction } from '@stellar/stellar-sdk/base'
import { createServerSigner } from '@windlass/client/signer.ts'
import { signChallenge, signPayment } from '@windlass/contracts/internal/signer.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { buildContractChallenge, preimageOf } from '@windlass/stellar/sep45-challenge.ts'
import { describe, expect, it } from 'vitest'
import { PASSPHRASE, type AnchorAtSigner } from '../testing/running-signer.ts'
import {
  challengeOf,
  delhi,
  ERROR,
  mumbai,
  pay,
  seen,
  signer,
  startTwoAnchors,
  transactionOf,
  wallet,
} from '../testing/two-anchors.ts'

startTwoAnchors()

const contractTerms = ({ id, accounts }: AnchorAtSigner) => ({
  server: accounts.signing,
  networkPassphrase: PASSPHRASE,
  homeDomain: `${id}.anchors.test`,
  webAuthDomain: `${id}.anchors.test`,
  contract: StrKey.encodeContract(Buffer.alloc(32, 7)),
})
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** What the SEP server has signed of a challenge, or what a thief of its credential would like instead. */
function preimageFor(
  terms: ReturnType<typeof contractTerms>,
  called = 'web_auth_verify',
  twice = false,
  now = new Date(),
) {
  const account = StrKey.encodeContract(Buffer.alloc(32, 9))
  const [, entry] = buildContractChallenge(terms, { account }, now)
  const invocation = entry?.rootInvocation
  if (invocation?.function.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('no call')
  const { contractAddress, args } = invocation.function.contractFn
  const changed = new xdr.SorobanAuthorizationEntry({
    credentials: entry?.credentials ?? xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
        new xdr.InvokeContractArgs({ contractAddress, functionName: called, args }),
      ),
      subInvocations: twice ? [invocation] : [],
    }),
  })
  return preimageOf(changed, 1_000, terms.networkPassphrase)
}

describe('the SEP server', () => {
  it('has its challenges and callbacks signed with the signing key', async () => {
    const own = createServerSigner(signer.url, mumbai.credentials.sep)
    const challenge = challengeOf(mumbai)
    const { verify } = verifierFromAddress(mumbai.accounts.signing)
    expect(verify(challenge.hash(), await own.challenge(challenge.toXdr()))).toBe(true)
    const time = Math.floor(Date.now() / 1_000)
    const signature = await own.callback({ time, host: 'wallet.example:8443', body: '{"transaction":{}}' })
    expect(verify(Buffer.from(`${time}.wallet.example:8443.{"transaction":{}}`), signature)).toBe(true)
  })

  it('has its entry of a login by contract signed, and no other authorization', async () => {
    const own = createServerSigner(signer.url, mumbai.credentials.sep)
    const terms = contractTerms(mumbai)
    const preimage = preimageFor(terms)
    const { verify } = verifierFromAddress(mumbai.accounts.signing)
    expect(verify(hash(preimage), await own.contractChallenge(base64(preimage)))).toBe(true)
    const wrong = [
      preimageFor({ ...terms, homeDomain: 'evil.example' }),
      preimageFor({ ...terms, networkPassphrase: 'Another Network' }),
      preimageFor(contractTerms(delhi)),
      preimageFor(terms, 'transfer'),
      preimageFor(terms, 'web_auth_verify', true),
      preimageFor(terms, 'web_auth_verify', false, new Date(Date.now() + 604_800_000)),
      Uint8Array.of(1, 2, 3),
    ]
    for (const each of wrong)
      await expect(own.contractChallenge(base64(each))).rejects.toMatchObject(ERROR.refused)
    const business = createServerSigner(signer.url, mumbai.credentials.business)
    await expect(business.contractChallenge(base64(preimage))).rejects.toThrow()
  })

  it.each<[string, () => Transaction]>([
    ['a payment', () => pay('1')],
    ['a payment of the signing account', () => pay('1', { source: mumbai.accounts.signing })],
    [
      'set options of the signing account',
      () => transactionOf([Operation.setOptions({ masterWeight: 0 })], { source: mumbai.accounts.signing }),
    ],
    ['a login at another anchor', () => challengeOf(mumbai, { homeDomain: `${delhi.id}.anchors.test` })],
    ['a challenge in another anchor’s name', () => challengeOf(delhi)],
    ['a challenge of next week', () => challengeOf(mumbai, {}, new Date(Date.now() + 604_800_000))],
    [
      'a data entry that the ledger would apply',
      () =>
        transactionOf(
          [Operation.manageData({ name: `${mumbai.id}.anchors.test auth`, value: 'x', source: wallet })],
          { source: mumbai.accounts.signing },
        ),
    ],
  ])('does not have %s signed', async (_, build) => {
    const body = { transaction: build().toXdr() }
    const thief = signer.as(mumbai.credentials.sep)
    await expect(thief.call(signChallenge, { body })).rejects.toMatchObject(ERROR.refused)
    await expect(thief.call(signPayment, { body })).rejects.toMatchObject(ERROR.refused)
    expect((await seen(mumbai)).stopped.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    expect((await seen(delhi)).stopped).toEqual([])
  })
})
