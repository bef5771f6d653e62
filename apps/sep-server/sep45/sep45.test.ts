import { Address, authorizeEntry, Keypair, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk/base'
import { decodeEntries, credentialsOf, encodeEntries } from '@windlass/stellar/sep45-challenge.ts'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createStellarRpc } from '../clients/stellar-rpc.ts'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'
import { startFakeRpc, type FakeRpc, type Lie } from '../testing/stellar-rpc.ts'

const contract = StrKey.encodeContract(randomBytes(32))
const { passphrase } = testAnchor.network
let rpc: FakeRpc
let app: SepApp
let time = Date.now()
beforeAll(async () => {
  rpc = await startFakeRpc(contract, passphrase)
  const network = { ...testAnchor.network, contractLogin: { rpcUrl: rpc.url, contract } }
  app = await startSepApp({ clock: { now: () => new Date(time) } }, { anchor: { ...testAnchor, network } })
})
afterAll(async () => {
  await app.close()
  await rpc.close()
})
beforeEach(() => {
  rpc.lie = null
  time = Date.now()
})

/** A contract account with a key. */
function account() {
  const key = Keypair.random()
  const address = StrKey.encodeContract(randomBytes(32))
  rpc.accounts.set(address, key)
  return { address, key }
}

async function challenge(address: string, query = ''): Promise<xdr.SorobanAuthorizationEntry[]> {
  const answer = await app.server.app.inject({ url: `/sep45/auth?account=${address}${query}` })
  expect(answer.statusCode, answer.body).toBe(200)
  const { authorization_entries, network_passphrase } = answer.json()
  expect(network_passphrase).toBe(passphrase)
  return decodeEntries(authorization_entries)
}

const addressOf = (entry: xdr.SorobanAuthorizationEntry) =>
  Address.fromScAddress(credentialsOf(entry).address).toString()

/** Signs the entries of one address, as wallets do with the Stellar SDK. */
const sign = (entries: readonly xdr.SorobanAuthorizationEntry[], address: string, key: Keypair) =>
  Promise.all(
    entries.map(entry =>
      addressOf(entry) === address
        ? authorizeEntry(
            entry,
            async (_preimage, payload) => ({
              signatureScVal: xdr.ScVal.scvVec([
                nativeToScVal({ public_key: key.rawPublicKey(), signature: key.sign(payload) }),
              ]),
            }),
            rpc.latest + 10,
            passphrase,
          )
        : entry,
    ),
  )

async function exchange(entries: readonly xdr.SorobanAuthorizationEntry[]) {
  const answer = await app.server.app.inject({
    method: 'POST',
    url: '/sep45/auth',
    payload: { authorization_entries: encodeEntries(entries) },
  })
  return { status: answer.statusCode, body: answer.json() }
}

async function logIn({ address, key }: { address: string; key: Keypair }) {
  return exchange(await sign(await challenge(address), address, key))
}

describe('the login of a contract account', () => {
  it('gives a token that the other protocols take, once for a challenge', async () => {
    const wallet = account()
    const entries = await challenge(
      wallet.address,
      `&home_domain=${testAnchor.plan.homeDomain.toUpperCase()}`,
    )
    expect(entries.map(addressOf)).toEqual([wallet.address, app.signing.publicKey()])
    const signed = await sign(entries, wallet.address, wallet.key)
    const { status, body } = await exchange(signed)
    expect(status, JSON.stringify(body)).toBe(200)
    const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ sub: wallet.address, home_domain: testAnchor.plan.homeDomain })
    expect(claims.aud).toBeUndefined()
    expect(await exchange(signed)).toEqual({
      status: 400,
      body: { error: 'the challenge was used already' },
    })
    const headers = { authorization: `Bearer ${body.token}` }
    const list = await app.server.app.inject({ url: '/sep24/transactions?asset_code=MUMBAI', headers })
    expect(list.json()).toEqual({ transactions: [] })
  })

  it('is refused where one of two RPCs alone finds it authorized', async () => {
    const wallet = account()
    const lying = await startFakeRpc(contract, passphrase)
    const { rpc: first, secondRpc } = app.deps
    onTestFinished(async () => {
      Object.assign(app.deps, { rpc: first, secondRpc })
      await lying.close()
    })
    lying.lie = 'approves-everything'
    const liar = createStellarRpc(lying.url, app.deps.clock)
    const logInByStranger = () => logIn({ ...wallet, key: Keypair.random() })
    Object.assign(app.deps, { rpc: liar })
    expect((await logInByStranger()).status).toBe(200)
    for (const [one, other] of [
      [liar, first],
      [first, liar],
    ]) {
      Object.assign(app.deps, { rpc: one, secondRpc: other })
      expect(await logInByStranger()).toEqual({
        status: 400,
        body: { error: 'the account does not authorize the challenge' },
      })
      expect((await logIn(wallet)).status).toBe(200)
    }
  })

  it('begins withdrawals, and deposits to itself or an account, but not to another contract', async () => {
    const wallet = account()
    const { body } = await logIn(wallet)
    const start = async (side: string, fields: object) => {
      const answer = await app.server.app.inject({
        method: 'POST',
        url: `/sep24/transactions/${side}/interactive`,
        headers: { authorization: `Bearer ${body.token}` },
        payload: { asset_code: 'MUMBAI', ...fields },
      })
      return { status: answer.statusCode, error: answer.json().error }
    }
    expect((await start('withdraw', {})).status).toBe(200)
    expect((await start('withdraw', { account: wallet.address })).status).toBe(200)
    const unpaid = { status: 400, error: expect.stringContaining('cannot pay this contract account (C…)') }
    expect((await start('deposit', {})).status).toBe(200)
    expect((await start('deposit', { account: wallet.address })).status).toBe(200)
    expect(await start('deposit', { account: account().address })).toEqual(unpaid)
    const withMemo = { status: 400, error: 'memo and a contract account cannot be combined' }
    expect(await start('deposit', { memo: '7', memo_type: 'id' })).toEqual(withMemo)
    expect((await start('deposit', { account: Keypair.random().publicKey() })).status).toBe(200)
    const customer = await app.server.app.inject({
      url: '/sep12/customer?memo=7',
      headers: { authorization: `Bearer ${body.token}` },
    })
    expect(customer.statusCode).toBe(400)
    const startSep6 = async (more: string) => {
      const url = `/sep6/deposit?asset_code=MUMBAI${more}`
      const headers = { authorization: `Bearer ${body.token}` }
      const answer = await app.server.app.inject({ url, headers })
      return { status: answer.statusCode, error: answer.json().error }
    }
    expect((await startSep6('')).status).toBe(200)
    expect((await startSep6(`&account=${wallet.address}`)).status).toBe(200)
    expect(await startSep6(`&account=${account().address}`)).toEqual(unpaid)
    expect((await startSep6(`&account=${Keypair.random().publicKey()}`)).status).toBe(200)
  })

  it('takes the entries that the account’s own check needs, and no login without them', async () => {
    const [wallet, guardian] = [account(), Keypair.random()]
    rpc.guardians.set(wallet.address, guardian.publicKey())
    const signed = await sign(await challenge(wallet.address), wallet.address, wallet.key)
    expect((await exchange(signed)).status).toBe(400)
    const further = await sign(
      [checkOf(wallet.address, guardian.publicKey())],
      guardian.publicKey(),
      guardian,
    )
    expect((await exchange([...further, ...signed])).status).toBe(200)
  })

  it('has the wallet’s domain sign too where one is named', async () => {
    const [domainKey, wallet] = [Keypair.random(), account()]
    const server = createServer((_request, response) =>
      response.end(`SIGNING_KEY = "${domainKey.publicKey()}"`),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const domain = `127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const entries = await challenge(wallet.address, `&client_domain=${domain}`)
      const own = await sign(entries, wallet.address, wallet.key)
      expect((await exchange(own)).body.error).toContain('not signed')
      const { status, body } = await exchange(await sign(own, domainKey.publicKey(), domainKey))
      expect(status).toBe(200)
      const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
      expect(claims.client_domain).toBe(domain)
    } finally {
      server.close()
    }
  })

  it.each<[string, (wallet: { address: string; key: Keypair }) => Promise<{ status: number }>]>([
    ['a key that is not the account’s', ({ address }) => logIn({ address, key: Keypair.random() })],
    ['no signature', async ({ address }) => exchange(await challenge(address))],
    ['the entry of the server alone', async ({ address }) => exchange((await challenge(address)).slice(1))],
    [
      'the entry of the account alone',
      async ({ address, key }) => exchange((await sign(await challenge(address), address, key)).slice(0, 1)),
    ],
    [
      'an entry twice',
      async ({ address, key }) => {
        const [own] = await sign(await challenge(address), address, key)
        return exchange(own ? [own, own] : [])
      },
    ],
    [
      'the server’s entry of another challenge',
      async ({ address, key }) => {
        const [own] = await sign(await challenge(address), address, key)
        const [, others] = await challenge(account().address)
        return exchange(own && others ? [own, others] : [])
      },
    ],
    [
      'a challenge that a stranger made and signed as the server',
      async ({ address, key }) => {
        const stranger = Keypair.random()
        const entries = await challenge(address)
        return exchange(await sign(await sign(entries, app.signing.publicKey(), stranger), address, key))
      },
    ],
    [
      'another account in the call',
      async ({ address, key }) => {
        const entries = await sign(await challenge(address), address, key)
        return exchange(entries.map(entry => withAccount(entry, account().address)))
      },
    ],
    [
      'a further call inside',
      async ({ address, key }) =>
        exchange((await sign(await challenge(address), address, key)).map(withFurtherCall)),
    ],
    [
      'an entry of the account for another call instead',
      async ({ address, key }) => {
        const [, server] = await challenge(address)
        const other = await sign([checkOf(address, address)], address, key)
        return exchange(server ? [...other, server] : [])
      },
    ],
    [
      'an entry that speaks for the source of the transaction',
      async ({ address, key }) => {
        const credentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount()
        const { rootInvocation } = checkOf(address, address)
        const further = new xdr.SorobanAuthorizationEntry({ credentials, rootInvocation })
        return exchange([...(await sign(await challenge(address), address, key)), further])
      },
    ],
    [
      'more entries than a login needs',
      async ({ address, key }) => {
        const further = Array.from({ length: 9 }, () => checkOf(address, Keypair.random().publicKey()))
        return exchange([...(await sign(await challenge(address), address, key)), ...further])
      },
    ],
    [
      'a challenge after a quarter of an hour',
      async ({ address, key }) => {
        const entries = await sign(await challenge(address), address, key)
        time += 901_000
        return exchange(entries)
      },
    ],
    [
      'what is no XDR',
      async () => {
        const payload = { authorization_entries: 'bm9uc2Vuc2U=' }
        const answer = await app.server.app.inject({ method: 'POST', url: '/sep45/auth', payload })
        return { status: answer.statusCode }
      },
    ],
  ])('is refused for %s', async (_what, attempt) => {
    expect((await attempt(account())).status).toBe(400)
  })

  it.each<[Lie, number]>([
    ['uses-up-no-nonce', 400],
    ['asks-for-a-restore', 400],
    ['has-no-transaction-data', 400],
    ['has-broken-transaction-data', 400],
    ['answers-another-request', 503],
    ['answers-500', 503],
    ['answers-html', 503],
    ['answers-without-end', 503],
  ])('gives no token where the RPC %s', async (lie, status) => {
    const wallet = account()
    const signed = await sign(await challenge(wallet.address), wallet.address, wallet.key)
    rpc.lie = lie
    expect((await exchange(signed)).status).toBe(status)
    rpc.lie = null
    expect((await exchange(signed)).status).toBe(200)
  })

  it('keeps what it can check itself where the RPC approves everything', async () => {
    rpc.lie = 'approves-everything'
    const { address } = account()
    const entries = await challenge(address)
    // A contract may want no signature, which its code alone says.
    expect((await exchange(entries)).status).toBe(200)
    const forged = await sign(entries, app.signing.publicKey(), Keypair.random())
    expect((await exchange(await sign(forged, address, Keypair.random()))).status).toBe(400)
  })

  it.each([
    ['an account that is no contract', `account=${Keypair.random().publicKey()}`],
    ['nonsense', 'account=C123'],
    ['another home domain', `account=${contract}&home_domain=evil.example`],
  ])('makes no challenge for %s', async (_what, query) => {
    const answer = await app.server.app.inject({ url: `/sep45/auth?${query}` })
    expect(answer.statusCode).toBe(400)
  })

  it('is not there where no RPC is configured', async () => {
    const without = await startSepApp()
    try {
      const get = await without.server.app.inject({ url: `/sep45/auth?account=${contract}` })
      const payload = { authorization_entries: 'AAAA' }
      const post = await without.server.app.inject({ method: 'POST', url: '/sep45/auth', payload })
      expect([get.statusCode, post.statusCode]).toEqual([404, 404])
    } finally {
      await without.close()
    }
  })
})

function withAccount(entry: xdr.SorobanAuthorizationEntry, address: string): xdr.SorobanAuthorizationEntry {
  const { function: called } = entry.rootInvocation
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('not a call')
  const { contractAddress, functionName, args } = called.contractFn
  const map = args[0]?.type === 'scvMap' ? (args[0].map ?? []) : []
  const changed = map.map(({ key, val }) =>
    key.type === 'scvSymbol' && key.sym.toString() === 'account'
      ? new xdr.ScMapEntry({ key, val: nativeToScVal(address, { type: 'string' }) })
      : new xdr.ScMapEntry({ key, val }),
  )
  return new xdr.SorobanAuthorizationEntry({
    credentials: entry.credentials,
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
        new xdr.InvokeContractArgs({ contractAddress, functionName, args: [xdr.ScVal.scvMap(changed)] }),
      ),
      subInvocations: [],
    }),
  })
}

/** What an account's own code has someone authorize while it checks a login. */
const checkOf = (account: string, signer: string) =>
  new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(
      new xdr.SorobanAddressCredentials({
        address: Address.fromString(signer).toScAddress(),
        nonce: randomBytes(8).readBigInt64BE(),
        signatureExpirationLedger: 0,
        signature: xdr.ScVal.scvVoid(),
      }),
    ),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
        new xdr.InvokeContractArgs({
          contractAddress: Address.fromString(account).toScAddress(),
          functionName: '__check_auth',
          args: [],
        }),
      ),
      subInvocations: [],
    }),
  })

const withFurtherCall = ({ credentials, rootInvocation }: xdr.SorobanAuthorizationEntry) =>
  new xdr.SorobanAuthorizationEntry({
    credentials,
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: rootInvocation.function,
      subInvocations: [rootInvocation],
    }),
  })
