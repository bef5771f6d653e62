import { Keypair } from '@stellar/stellar-sdk/base'
import { createServerSigner } from '@windlass/client/signer.ts'
import { ensureAnchorKeys } from '@windlass/contracts/internal/signer.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVault } from './backends/vault.ts'
import { keepVaultToken } from './keys/vault-token.ts'
import { startRealVault, VAULT_PROGRAM, type RealVault } from './testing/real-vault.ts'
import { PASSPHRASE, startSigner, type AnchorAtSigner, type RunningSigner } from './testing/running-signer.ts'
import { challengeTransaction } from './testing/challenge.ts'

if (VAULT_PROGRAM === undefined)
  console.warn('SKIPPED: keys in a real Vault (HashiCorp Vault or OpenBao in the PATH, or WINDLASS_VAULT)')

/** The policy that the guide names. */
const POLICY = /```hcl\n([^]*?)```/.exec(
  readFileSync(new URL('../../docs/guides/production.md', import.meta.url), 'utf8'),
)?.[1]

describe.skipIf(VAULT_PROGRAM === undefined)('keys in a real Vault', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-signer-'))
  const tokenFile = join(folder, 'token')
  let vault: RealVault
  let signer: RunningSigner
  let anchor: AnchorAtSigner
  const use = (token: string) => writeFileSync(tokenFile, token)

  beforeAll(async () => {
    vault = await startRealVault(VAULT_PROGRAM ?? '')
    await vault.ask('PUT', 'sys/policies/acl/windlass-signer', { policy: POLICY })
    use(await vault.createToken('windlass-signer', { period: '72h' }))
    signer = await startSigner({
      SIGNER_BACKEND: 'vault',
      VAULT_ADDR: vault.url,
      VAULT_TOKEN_FILE: tokenFile,
    })
    anchor = await signer.addAnchor('mumbai')
  })
  afterAll(async () => {
    await signer?.stop()
    await vault?.remove()
    rmSync(folder, { recursive: true })
  })

  const signs = async () => {
    const { signing } = anchor.accounts
    const domain = 'mumbai.anchors.test'
    const terms = {
      ...{ server: signing, networkPassphrase: PASSPHRASE },
      ...{ homeDomain: domain, webAuthDomain: domain },
    }
    const account = Keypair.random().publicKey()
    const challenge = challengeTransaction(signing, terms, { account }, new Date())
    const asked = createServerSigner(signer.url, anchor.credentials.sep).challenge(challenge.toXdr())
    return verifierFromAddress(signing).verify(challenge.hash(), await asked)
  }
  const accountsAgain = () =>
    signer.control.call(ensureAnchorKeys, { params: { anchorId: 'mumbai' }, body: {} })
  const unavailable = { status: 503, problem: { code: 'dependency-unavailable' } }

  it('are made once and sign as the ledger verifies, with no more rights than the guide gives', async () => {
    expect(await signs()).toBe(true)
    const list = () => vault.ask<{ data: { keys: string[] } }>('LIST', 'transit/keys')
    expect((await list()).data.keys).toEqual([
      'windlass-mumbai-distribution',
      'windlass-mumbai-issuer',
      'windlass-mumbai-signing',
    ])
    expect(await accountsAgain()).toEqual(anchor.accounts)
    expect((await list()).data.keys).toHaveLength(3)
  })

  it('cannot be exported or deleted with the signer’s token', async () => {
    const headers = { 'x-vault-token': readFileSync(tokenFile, 'utf8') }
    const key = 'windlass-mumbai-distribution'
    const status = async (method: string, path: string, body?: object) =>
      (await fetch(`${vault.url}/v1/transit/${path}`, { method, headers, body: JSON.stringify(body) })).status
    expect(await status('GET', `export/signing-key/${key}`)).toBe(403)
    expect(await status('POST', `keys/${key}/config`, { exportable: true })).toBe(403)
    expect(await status('DELETE', `keys/${key}`)).toBe(403)
    expect(await status('GET', `backup/${key}`)).toBe(403)
    expect(await status('POST', `keys/${key}/rotate`)).toBe(403)
  })

  it('sign as before after Vault rotated them', async () => {
    await vault.ask('POST', 'transit/keys/windlass-mumbai-signing/rotate')
    expect(await signs()).toBe(true)
    expect(await accountsAgain()).toEqual(anchor.accounts)
  })

  it('sign nothing while Vault is sealed, and by themselves again when it is unsealed', async () => {
    await vault.seal()
    await expect(signs()).rejects.toMatchObject(unavailable)
    await vault.unseal()
    await expect.poll(signs).toBe(true)
  })

  it('sign nothing while Vault is down, and by themselves again after it was killed and restarted', async () => {
    await vault.kill()
    await expect(signs()).rejects.toMatchObject(unavailable)
    await vault.restart()
    await expect(signs()).rejects.toMatchObject(unavailable)
    await vault.unseal()
    await expect.poll(signs).toBe(true)
  })

  it('sign nothing with a token that may not, and again with the next one', async () => {
    const before = readFileSync(tokenFile, 'utf8')
    use(await vault.createToken('default'))
    await expect(signs()).rejects.toMatchObject(unavailable)
    use(before)
    expect(await signs()).toBe(true)
    await vault.ask('POST', 'auth/token/revoke', { token: before })
    await expect(signs()).rejects.toMatchObject(unavailable)
    use(await vault.createToken('windlass-signer', { period: '72h' }))
    expect(await signs()).toBe(true)
  })

  it('are signed with for longer than their token would live, because the signer renews it', async () => {
    const token = await vault.createToken('windlass-signer', { period: '3s' })
    use(token)
    const { lines, stop } = keepToken(token)
    for (let second = 0; second < 6; second++) {
      await new Promise(resolve => setTimeout(resolve, 1_000))
      expect(await signs()).toBe(true)
    }
    await stop()
    expect(lines).toEqual([])
    await expect.poll(() => signs().catch(() => 'ended')).toBe('ended')
  })

  it('have a token whose end is known', async () => {
    const lifeOf = async (settings: object) => {
      const token = await vault.createToken('windlass-signer', settings)
      return createVault({ address: vault.url, mount: 'transit', token: () => token }).renewToken()
    }
    const renewed = await lifeOf({ period: '72h' })
    expect(renewed?.atFirst).toBe(259_200)
    expect(renewed?.seconds).toBeGreaterThan(259_100)
    const capped = await lifeOf({ ttl: '1h', explicit_max_ttl: '30m' })
    expect(capped?.seconds).toBeLessThanOrEqual(1_800)
    expect(await lifeOf({ ttl: '1h', renewable: false })).toMatchObject({ atFirst: 3_600 })
    const unlimited = createVault({ address: vault.url, mount: 'transit', token: () => vault.administrator })
    expect(await unlimited.renewToken()).toBeNull()
  })

  /** What the signer does from its start on, and what it writes into its log. */
  function keepToken(token: string) {
    const lines: string[] = []
    const write = (line: Buffer, _: string, done: () => void) => {
      lines.push((JSON.parse(line.toString()) as { msg: string }).msg)
      done()
    }
    const logger = createLogger('signer', 'warn', new Writable({ write }))
    const backend = createVault({ address: vault.url, mount: 'transit', token: () => token })
    const keeping = keepVaultToken(backend, logger)
    return { lines, stop: keeping.stop }
  }
})
