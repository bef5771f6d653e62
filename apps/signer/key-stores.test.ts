import { ensureAnchorKeys, signChallenge } from '@windlass/contracts/internal/signer.ts'
import { Keypair } from '@stellar/stellar-sdk/base'
import { createServerSigner } from '@windlass/client/signer.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { loadConfig } from './config.ts'
import { keepVaultToken } from './keys/vault-token.ts'
import { startKmsStandIn, startVaultStandIn, type StoreStandIn } from './testing/key-stores.ts'
import { PASSPHRASE, startSigner, type AnchorAtSigner, type RunningSigner } from './testing/running-signer.ts'
import { challengeTransaction } from './testing/challenge.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-signer-'))
})
afterAll(() => rm(folder, { recursive: true }))

const vaultToken = () => join(folder, 'vault-token')

const stores = [
  {
    backend: 'vault',
    start: async () => {
      writeFileSync(vaultToken(), 'hvs.first')
      return startVaultStandIn('hvs.first')
    },
    settings: (url: string) => ({ VAULT_ADDR: url, VAULT_TOKEN_FILE: vaultToken() }),
  },
  {
    backend: 'aws-kms',
    start: startKmsStandIn,
    settings: (url: string) => ({
      KMS_REGION: 'eu-west-1',
      KMS_ENDPOINT: url,
      KMS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      KMS_SECRET_ACCESS_KEY: 'secret',
    }),
  },
]

describe.each(stores)('keys in $backend', ({ backend, start, settings }) => {
  let store: StoreStandIn
  let signer: RunningSigner
  let anchor: AnchorAtSigner
  beforeAll(async () => {
    store = await start()
    signer = await startSigner({ SIGNER_BACKEND: backend, ...settings(store.url) })
    anchor = await signer.addAnchor('mumbai')
  })
  afterAll(async () => {
    await signer.stop()
    await store.stop()
  })

  const challengeOf = () => {
    const { signing } = anchor.accounts
    const domain = 'mumbai.anchors.test'
    const terms = {
      server: signing,
      networkPassphrase: PASSPHRASE,
      homeDomain: domain,
      webAuthDomain: domain,
    }
    return challengeTransaction(signing, terms, { account: Keypair.random().publicKey() }, new Date())
  }
  const ask = async () => {
    const challenge = challengeOf()
    const signature = await createServerSigner(signer.url, anchor.credentials.sep).challenge(
      challenge.toXdr(),
    )
    return verifierFromAddress(anchor.accounts.signing).verify(challenge.hash(), signature)
  }

  it('sign as the ledger verifies, and are made once', async () => {
    expect(await ask()).toBe(true)
    expect(store.keys).toHaveLength(3)
    // Another attempt finds what the store has, also where the first could not record it.
    const client = new pg.Client({ connectionString: signer.databaseUrl })
    await client.connect()
    await client.query("delete from keys where role <> 'issuer'")
    await client.end()
    const params = { anchorId: anchor.id }
    const [again] = await Promise.all(
      [1, 2].map(() => signer.control.call(ensureAnchorKeys, { params, body: {} })),
    )
    expect(again).toEqual(anchor.accounts)
    expect(store.keys).toHaveLength(3)
  })

  // The client of AWS KMS tries again by itself.
  it.runIf(backend === 'vault')('sign though the store closes each connection that is kept', async () => {
    expect(await ask()).toBe(true)
    store.fault = 'closes'
    for (let asked = 0; asked < 3; asked++) expect(await ask()).toBe(true)
    store.fault = null
  })

  it('answer 503 while the store is down, silent or signs with another key, and sign again afterwards', async () => {
    const body = { transaction: challengeOf().toXdr() }
    const asked = () => signer.as(anchor.credentials.sep).call(signChallenge, { body })
    const unavailable = { status: 503, problem: { code: 'dependency-unavailable' } }
    store.fault = 500
    await expect(asked()).rejects.toMatchObject(unavailable)
    store.fault = 'silent'
    await expect(asked()).rejects.toMatchObject(unavailable)
    store.fault = null
    store.wrongKey = true
    await expect(asked()).rejects.toMatchObject(unavailable)
    store.wrongKey = false
    expect(await ask()).toBe(true)
  })

  it('are used beside those of an earlier version, which stay local', async () => {
    const seeds = { issuer: Keypair.random(), distribution: Keypair.random(), signing: Keypair.random() }
    const { accounts } = await signer.addAnchor('pune', {
      seeds: {
        issuer: seeds.issuer.secret(),
        distribution: seeds.distribution.secret(),
        signing: seeds.signing.secret(),
      },
    })
    expect(accounts.signing).toBe(seeds.signing.publicKey())
    expect(store.keys).toHaveLength(3)
  })
})

it('a token that an agent renews is read again', async () => {
  writeFileSync(vaultToken(), 'hvs.first')
  const vault = await startVaultStandIn('hvs.second')
  const signer = await startSigner({
    SIGNER_BACKEND: 'vault',
    VAULT_ADDR: vault.url,
    VAULT_TOKEN_FILE: vaultToken(),
  })
  await expect(signer.addAnchor('mumbai')).rejects.toMatchObject({ status: 503 })
  writeFileSync(vaultToken(), 'hvs.second')
  expect((await signer.addAnchor('mumbai')).accounts.issuer).toMatch(/^G/)
  await signer.stop()
  await vault.stop()
})

it('the node of a cluster that another one names is asked, and none without TLS where the first has it', async () => {
  writeFileSync(vaultToken(), 'hvs.first')
  const certificate = await certificateOf('localhost', new Date(Date.now() + 86_400_000))
  const authority = join(folder, 'standby-ca.pem')
  writeFileSync(authority, certificate.cert)
  const vault = await startVaultStandIn('hvs.first')
  const name: RequestListener = ({ url }, response) =>
    response.writeHead(307, { location: `${vault.url}${url}` }).end()
  const standbys = [http.createServer(name), https.createServer(certificate, name)]
  const ports = standbys.map(standby => (standby.listen(0).address() as AddressInfo).port)
  const settings = {
    ...{ SIGNER_BACKEND: 'vault', VAULT_ADDR: `http://localhost:${ports[0]}` },
    ...{ VAULT_TOKEN_FILE: vaultToken(), VAULT_CA_FILE: authority },
  }
  const signer = await startSigner(settings)
  expect((await signer.addAnchor('mumbai')).accounts.issuer).toMatch(/^G/)
  await signer.restart({ VAULT_ADDR: `https://localhost:${ports[1]}` })
  await expect(signer.addAnchor('pune')).rejects.toMatchObject({ status: 503 })
  expect(vault.keys).toHaveLength(3)
  await signer.stop()
  await vault.stop()
  standbys.forEach(standby => standby.close())
})

it('a Vault whose certificate is from an authority of its own is trusted when that is named, and else not', async () => {
  writeFileSync(vaultToken(), 'hvs.first')
  const certificate = await certificateOf('localhost', new Date(Date.now() + 86_400_000))
  const vault = await startVaultStandIn('hvs.first', certificate)
  const settings = { SIGNER_BACKEND: 'vault', VAULT_ADDR: vault.url, VAULT_TOKEN_FILE: vaultToken() }
  const authority = join(folder, 'vault-ca.pem')
  writeFileSync(authority, certificate.cert)
  const signer = await startSigner(settings)
  await expect(signer.addAnchor('mumbai')).rejects.toMatchObject({ status: 503 })
  await signer.restart({ VAULT_CA_FILE: authority })
  vault.fault = 'closes'
  expect((await signer.addAnchor('mumbai')).accounts.issuer).toMatch(/^G/)
  await signer.stop()
  await vault.stop()
})

it.each([
  [{ seconds: 400, atFirst: 3_600 }, []],
  [{ seconds: 359, atFirst: 3_600 }, [359]],
  [{ seconds: 190_000, atFirst: 2_764_800 }, []],
  [{ seconds: 172_000, atFirst: 2_764_800 }, [172_000]],
  [null, []],
])('of a token for Vault that lives for %j is warned %j', async (life, warned) => {
  const warnings: unknown[] = []
  const logger = {
    warn: ({ seconds }: { seconds: number }) => warnings.push(seconds),
    debug: () => undefined,
  }
  const keeping = keepVaultToken({ renewToken: async () => life }, logger)
  await keeping.idle()
  await keeping.stop()
  expect(warnings).toEqual(warned)
})

it.each([
  [{ SIGNER_BACKEND: 'paper' }, /SIGNER_BACKEND must be/],
  [{ SIGNER_BACKEND: 'vault' }, /needs VAULT_ADDR/],
  [{ VAULT_ADDR: 'http://vault:8200' }, /VAULT_TOKEN is not set/],
  [{ SIGNER_BACKEND: 'aws-kms' }, /needs KMS_REGION/],
])('refuses to start with %j', (settings, message) => {
  const env = {
    SIGNER_DATABASE_URL: 'postgres://localhost/none',
    SIGNER_SECRET: 's'.repeat(40),
    SIGNER_KEY: `v1:${Buffer.alloc(32).toString('base64')}`,
  }
  expect(() => loadConfig({ ...env, ...settings })).toThrow(message)
})
