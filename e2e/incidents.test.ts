import { Account, Asset, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { CookieJar, createClient, type Client } from '@windlass/client/client.ts'
import { adminLogin, resumeAnchor, suspendAnchor } from '@windlass/contracts/platform/administrators.ts'
import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/platform/operators.ts'
import { listWorkspaceBalances } from '@windlass/contracts/platform/workspace-records.ts'
import {
  listWorkspaceIncidents,
  resolveWorkspaceIncident,
} from '@windlass/contracts/platform/workspace-records.ts'
import { getWorkspaceSigning, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { createSealer, parseKeyring } from '@windlass/service/seals/seal.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { parseEnvFile } from '@windlass/windlass/base-env.ts'
import { askAs, openDeposit, payDeposit, readTransaction } from '@windlass/windlass/demo/money.ts'
import { mailsTo } from '@windlass/windlass/demo/mailbox.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made } from '@windlass/windlass/demo/story.ts'
import type { StackLock } from '@windlass/windlass/run-files.ts'
import { rolePassword } from '@windlass/windlass/settings.ts'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStackToRestore, type StackToRestore } from './command-stack.ts'
import { agrees, ledgerOf, namedIncidents, type Owner } from './ledger-and-journal.ts'

const slowly = { timeout: 180_000, interval: 500 }
const STOLEN = 9

// npm run test:drill: docs/guides/incidents.md, step by step.
describe.runIf(process.env.MODE === 'drill')('the guide for incidents', { timeout: 600_000 }, () => {
  let stack: StackToRestore
  let lock: StackLock
  let owner: Owner
  const params = () => ({ anchorId: made(owner.story.first.anchorId, 'anchor') })
  const subdomain = () => owner.story.first.subdomain
  const status = (asked: Promise<unknown>) =>
    asked.then(
      () => 200,
      (error: { status?: number }) => error.status,
    )
  const signInAgain = async () => {
    const { email } = owner.story.first
    const before = (await mailsTo(owner.story, email)).length
    await owner.operator.call(requestOperatorCode, { body: { email } })
    const mails = () => mailsTo(owner.story, email)
    await expect.poll(async () => (await mails()).length, slowly).toBeGreaterThan(before)
    const code = /^\d{6}$/m.exec((await mails())[0]?.text ?? '')?.[0] ?? ''
    await owner.operator.call(verifyOperatorCode, { body: { email, code } })
  }
  const signInAdministrator = async (): Promise<Client> => {
    const client = createClient({ baseUrl: lock.variables.PLATFORM_URL ?? '', cookies: new CookieJar() })
    const { ADMIN_USERNAME = '', ADMIN_PASSWORD = '' } = lock.variables
    await client.call(adminLogin, { body: { username: ADMIN_USERNAME, password: ADMIN_PASSWORD } })
    return client
  }

  beforeAll(async () => {
    stack = await createStackToRestore('incidents')
  })

  afterAll(async () => {
    await stack?.remove()
    await owner?.story.anchors.close()
  })

  it('begins with a stack whose anchors hold money', async () => {
    lock = await stack.start()
    const story = beginStory(lock.variables)
    for (const step of STEPS) await step.run(story, () => undefined)
    owner = { story, operator: story.operator }
    await agrees([owner])
  })

  it('money is wrong: nothing is paid while everything can be read, and what waited is paid afterwards', async () => {
    const { limits } = await owner.operator.call(getWorkspaceSigning, { params: params() })
    const stopped = { ...limits, perHour: '0', xlmPerHour: '0' }
    await owner.operator.call(setWorkspaceSigningLimits, { params: params(), body: stopped })
    const before = await ledgerOf(owner.story)
    const id = await openDeposit(owner.story, '20')
    const ask = await askAs(owner.story)
    await ask('POST', `/sandbox/transactions/${id}/payment`, {})
    await expect
      .poll(
        async () => (await owner.operator.call(getWorkspaceSigning, { params: params() })).stopped,
        slowly,
      )
      .toContainEqual(expect.objectContaining({ server: 'business' }))
    expect(await ledgerOf(owner.story)).toEqual(before)
    expect((await readTransaction(owner.story, id)).status).toMatch(/^pending/)
    await agrees([owner])
    expect(await namedIncidents(owner)).toEqual([])

    await owner.operator.call(setWorkspaceSigningLimits, { params: params(), body: limits })
    await expect.poll(async () => (await readTransaction(owner.story, id)).status, slowly).toBe('completed')
    await agrees([owner])
  })

  it('one anchor’s secrets leaked: a suspended anchor gets new ones and resumes', async () => {
    const administrator = await signInAdministrator()
    const path = { params: { id: params().anchorId } }
    await administrator.call(suspendAnchor, { ...path, body: { reason: 'Its secrets leaked.' } })
    await expect
      .poll(() => status(owner.operator.call(listWorkspaceBalances, { params: params() })), slowly)
      .toBe(503)
    expect(await stack.windlass('keys', 'rotate', '--anchor', subdomain())).toContain(
      'new secrets are in use',
    )
    await expect.poll(() => status(administrator.call(resumeAnchor, path)), slowly).toBe(200)
    await expect
      .poll(() => status(owner.operator.call(listWorkspaceBalances, { params: params() })), slowly)
      .toBe(200)
    await payDeposit(owner.story, await openDeposit(owner.story, '3'))
    expect(await stack.windlass('logs', subdomain())).toMatch(/-business\n[^]*-sep\n/)
    await agrees([owner])
  })

  it('someone is in the machine: a restore with other secrets, and what they paid is an incident', async () => {
    await stack.windlass('backup', '--to', stack.backups)
    await steal()
    stack.environment.HORIZON_URL = 'http://127.0.0.1:9'
    const verified = await stack.windlass('audit', 'verify')
    delete stack.environment.HORIZON_URL
    expect(verified).toMatch(
      /The audit log is whole: \d+ entries\.\nSigned up to entry \d+\.\nNot checked: The ledger/,
    )
    await stack.windlass('stop')
    const old = readFileSync(stack.home.baseEnvFile, 'utf8')

    await stack.windlass('restore', '--from', stack.backups, '--key', stack.key, '--replace')
    for (let round = 0; round < 2; round++) await stack.windlass('keys', 'rotate')
    changeSecrets(stack.home.baseEnvFile)
    lock = await stack.start()
    const { story } = owner
    expect(await status(owner.operator.call(listWorkspaceBalances, { params: params() }))).toBe(401)
    story.variables = lock.variables
    await signInAgain()
    await expect
      .poll(() => namedIncidents(owner).catch(String), slowly)
      .toEqual([`unrecorded-payment ${STOLEN}`])
    for (const { subdomain: name } of [story.first, story.second])
      expect(await stack.windlass('keys', 'rotate', '--anchor', name)).toContain('new secrets are in use')
    // Everything was encrypted again: the leaked keys are not needed any more.
    await stack.windlass('stop')
    keepNewestKeys(stack.home.baseEnvFile)
    lock = await stack.start()
    const now = readFileSync(stack.home.baseEnvFile, 'utf8')
    for (const [name, value] of Object.entries(parseEnvFile(old, 'old')).filter(
      ([, text]) => text.length > 14,
    ))
      if (/(KEY|SECRET|PASSWORD)/.test(name)) expect(now, name).not.toContain(value)
    // Its anchors' servers are up again.
    await agrees([owner])
    await payDeposit(story, await openDeposit(story, '2'))
    await agrees([owner])
    expect(await stack.windlass('audit', 'verify')).toContain('The audit log is whole')
  })

  it('the network was reset: the same accounts issue again, and money moves', async () => {
    await stack.windlass('stop')
    rmSync(stack.ledger, { recursive: true })
    lock = await stack.start()
    const { story } = owner
    const { distribution = '', issuer = '' } = made(story.first.anchor, 'anchor')
    await sayThatItWasReset()
    const horizon = createHorizon(ledgerIn(lock.variables))
    await expect.poll(async () => Boolean(await horizon.account(issuer)), slowly).toBe(true)
    await expect
      .poll(async () => (await horizon.account(distribution))?.balances.length ?? 0, slowly)
      .toBeGreaterThan(1)
    await fetch(`${lock.variables.FRIENDBOT_URL}?addr=${story.wallet.publicKey()}`)
    await onLedger(story.wallet, [Operation.changeTrust({ asset: assetOfFirst() })])
    await expect
      .poll(
        async () => {
          await payDeposit(story, await openDeposit(story, '4'))
          return 'paid'
        },
        { ...slowly, interval: 2_000 },
      )
      .toBe('paid')
    await agrees([owner])
  })

  /** The anchor asks under Ledger, and funds nothing before an answer. */
  const sayThatItWasReset = async () => {
    const otherChain = async () =>
      (await owner.operator.call(listWorkspaceIncidents, { params: params() })).find(
        ({ kind, resolvedAt }) => kind === 'other-chain' && resolvedAt === null,
      )
    await expect.poll(otherChain, slowly).toBeDefined()
    await owner.operator.call(resolveWorkspaceIncident, {
      params: { ...params(), id: made(await otherChain(), 'incident').id },
      body: { outcome: 'applied', resolution: 'We removed the ledger.' },
    })
  }

  const assetOfFirst = () => {
    const { assetCode = '', issuer = '' } = made(owner.story.first.anchor, 'anchor')
    return new Asset(assetCode, issuer)
  }

  /** Signed by a key and applied. */
  async function onLedger(keypair: Keypair, operations: Parameters<TransactionBuilder['addOperation']>[0][]) {
    const horizon = createHorizon(ledgerIn(lock.variables))
    const { id, sequence } = made(await horizon.account(keypair.publicKey()), 'account')
    const networkPassphrase = lock.variables.NETWORK_PASSPHRASE ?? ''
    const builder = new TransactionBuilder(new Account(id, sequence), { fee: '100000', networkPassphrase })
    for (const operation of operations) builder.addOperation(operation)
    const transaction = builder.setTimeout(120).build()
    transaction.sign(keypair)
    expect((await horizon.submit(transaction.toXdr())).outcome).toBe('applied')
  }

  /** What someone can do who has the base env file and reads the databases. */
  async function steal(): Promise<void> {
    const variables = parseEnvFile(readFileSync(stack.home.baseEnvFile, 'utf8'), 'base.env')
    const name = 'windlass_signer'
    const at = `postgres://127.0.0.1:${lock.variables.POSTGRES_PORT}`
    const client = new pg.Client(databaseUrl(at, name, name, rolePassword(variables, name)))
    await client.connect()
    const { rows } = await client.query<{ reference: string }>(
      "select reference from keys where anchor_id = $1 and role = 'distribution'",
      [params().anchorId],
    )
    await client.end()
    const sealer = createSealer(parseKeyring(variables.SIGNER_KEY ?? ''))
    const sealed = Buffer.from(rows[0]?.reference ?? '', 'base64')
    const thief = Keypair.fromSecret(sealer.open(sealed, `${params().anchorId}:distribution`))
    const payment = {
      destination: owner.story.wallet.publicKey(),
      asset: assetOfFirst(),
      amount: String(STOLEN),
    }
    await onLedger(thief, [Operation.payment(payment)])
  }
})

/** Every row of docs/guides/secrets.md that is a new value. */
function changeSecrets(file: string): void {
  const names =
    'SERVICE_SECRET PROXY_SECRET SIGNER_SECRET AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY OPERATOR_TOKEN_KEY CUSTOMER_TOKEN_KEY ADMIN_TOKEN_KEY OTP_KEY ADMIN_PASSWORD POSTGRES_PASSWORD'
  let text = readFileSync(file, 'utf8')
  for (const name of names.split(' '))
    text = text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${randomBytes(32).toString('hex')}`)
  text = text
    .replace(
      /^PROVIDER_WEBHOOK_SECRET=.*$/m,
      `PROVIDER_WEBHOOK_SECRET=whsec_${randomBytes(32).toString('base64')}`,
    )
    .replace(/^BACKUP_SIGNING_KEY=.*\n/m, '')
  writeFileSync(file, text, { mode: 0o600 })
}

function keepNewestKeys(file: string): void {
  const text = readFileSync(file, 'utf8').replaceAll(/^(\w+_KEY=v\d+:[^,\n]+),.*$/gm, '$1')
  writeFileSync(file, text, { mode: 0o600 })
}
