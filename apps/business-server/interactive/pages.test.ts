import { PAGE_AUDIENCE, type PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { type Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { PROXY_SECRET_HEADER } from '@windlass/service/http/client-address.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { TooManyWaiting } from '@windlass/service/postgres/turns.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { SignJWT } from 'jose'
import { createSecretKey, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { buildApp } from '../app.ts'
import { assetName, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { answerRate } from '../transfers/quotes/answer-rate.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import type { Tables } from '../tables.ts'
import { getRecord } from '../transfers/travel-rule/records.ts'
import { addTravelRule } from '../transfers/travel-rule/settings.ts'
import { release, reserve } from '../money/treasury/treasury.ts'

let app: BusinessApp
const ledger: UnreliableNetwork = new UnreliableNetwork({
  asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
})
beforeAll(async () => {
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
})
afterAll(() => app.close())

describe('the cookie of a page', () => {
  const startAt = async (publicUrl: string) => {
    const own = await startBusinessApp({ horizon: ledger })
    onTestFinished(() => own.close())
    own.deps.config.anchor.publicUrl = publicUrl
    const server = await buildApp(own.deps)
    onTestFinished(() => server.close())
    const { id } = await acceptTransaction(own.deps, transactionOf({}))
    const token = await tokenFor(id, PAGE_AUDIENCE)
    const query = new URLSearchParams({ transaction_id: id, token })
    const started = await server.app.inject(`/interactive/start?${query}`)
    const [cookie = ''] = [started.headers['set-cookie']].flat()
    const page = (header: string) =>
      server.app.inject({ url: `/interactive/t/${id}`, headers: { cookie: header } })
    return { id, cookie, page, pair: cookie.split(';')[0] ?? '' }
  }

  it('belongs to this very host where the anchor is served over https', async () => {
    const { id, cookie, page, pair } = await startAt('https://mumbai.anchors.example')
    expect(cookie).toMatch(
      new RegExp(`^__Host-anchor_full_${id}=[^;]+; .*Path=/; HttpOnly; Secure; SameSite=Lax$`),
    )
    expect((await page(pair)).statusCode).toBe(200)
    // What another anchor's host could set for all of them.
    expect((await page(pair.replace('__Host-', ''))).statusCode).toBe(401)
  })

  it('is for the pages alone over plain http on one’s own machine', async () => {
    const { id, cookie, page, pair } = await startAt('http://mumbai.anchors.localhost')
    expect(cookie).toMatch(
      new RegExp(`^anchor_full_${id}=[^;]+; .*Path=/interactive; HttpOnly; SameSite=Lax$`),
    )
    expect((await page(pair)).statusCode).toBe(200)
  })
})

const tokenFor = (id: string, audience: string) =>
  new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(audience)
    .setJti(id)
    .setExpirationTime('1h')
    .sign(createSecretKey(Buffer.from(app.deps.config.secrets.jwt)))

function transactionOf(reported: Partial<PlatformTransaction>): PlatformTransaction {
  const account = generateKey().publicKey
  const time = new Date().toISOString()
  return {
    id: randomUUID(),
    sep: '24',
    kind: 'deposit',
    status: 'incomplete',
    started_at: time,
    updated_at: time,
    creator: { account },
    customers: { sender: { account } },
    claimable_balance_supported: false,
    ...reported,
  }
}

/** A transfer of an identified customer's, and its pages. */
async function begun(reported: Partial<PlatformTransaction> = {}) {
  const { id } = await acceptTransaction(app.deps, transactionOf(reported))
  const session = await tokenFor(id, 'interactive-session')
  const cookies = { [`anchor_full_${id}`]: session }
  const url = `/interactive/t/${id}`
  return {
    id,
    open: () => app.server.app.inject({ url, cookies }),
    see: async () => (await app.server.app.inject({ url, cookies })).body,
    price: async (query: Record<string, string>) =>
      (await app.server.app.inject({ url: `${url}/price`, query, cookies })).json<{ text: string }>().text,
    submit: async (
      act: string,
      payload: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) => {
      const answer = await app.server.app.inject({
        method: 'POST',
        url: `${url}/${act}`,
        cookies,
        payload,
        headers,
      })
      return { status: answer.statusCode, html: answer.body }
    },
  }
}

describe('the page for the amount', () => {
  it('says what a typed amount costs over a rail while it is typed, and nothing of what is no amount', async () => {
    const { price } = await begun()
    // (100 + 0.5 + 0.5) × 88.5
    expect(await price({ amount: '100', rail: 'UPI' })).toBe('You pay: 8,938.50 INR (fee 1 MUMBAI included)')
    for (const amount of ['', '1.2.3', '0', '99999999', 'x'])
      expect(await price({ amount, rail: 'UPI' })).toBe('')
    expect(await price({ amount: '100', rail: 'PIGEON' })).toBe('')
  })

  const leave = (amount: string) =>
    app.deps.database.db
      .transaction()
      .execute(tx =>
        reserve(app.deps, tx, { id: 'others', asset: null, amount: parseAmount(amount), expiresAt: null }),
      )

  it('asks for no more than the anchor can pay out, and takes no more', async () => {
    await leave('999900')
    const { see, submit } = await begun()
    expect(await see()).toContain('From 1 to 100 MUMBAI')
    const tooMuch = await submit('details', { amount: '100.0000001', rail: 'UPI' })
    expect(tooMuch).toMatchObject({
      status: 422,
      html: expect.stringContaining('receive at most 100 MUMBAI'),
    })
    expect(tooMuch.html).not.toContain('Review and confirm')
    expect((await submit('details', { amount: '100', rail: 'UPI' })).status).toBe(303)
    expect(await see()).toContain('Review and confirm')
  })

  it('comes again where the wallet named more than can be paid out', async () => {
    await leave('999900')
    const amount_expected = { amount: '101', asset: 'x' }
    const page = await (await begun({ amount_expected })).see()
    expect(page).toContain('receive at most 100 MUMBAI')
    expect(page).not.toContain('Review and confirm')
  })

  it('says so where nothing can be paid out, and bounds no withdrawal', async () => {
    await leave('999999.5')
    expect(await (await begun()).see()).toContain('No MUMBAI is available')
    expect(await (await begun({ kind: 'withdrawal' })).see()).toMatch(/From 1 to 10,000 MUMBAI/)
    await release(app.deps.database.db, 'others')
    expect(await (await begun()).see()).toMatch(/From 1 to 10,000 MUMBAI/)
  })

  it.each([
    ['en', '10,000', '10,000'],
    ['es', '10.000', '10.000'],
    ['en', '1.5', '1.5'],
    ['es', '1,5', '1,5'],
  ])('reads what a customer types in %s as it is written there: %s', async (lang, amount, shown) => {
    const { see, submit } = await begun({ lang })
    expect((await submit('details', { amount, rail: 'UPI' })).status).toBe(303)
    expect(await see()).toContain(`${shown} MUMBAI`)
  })

  it.each([
    ['en', '10.000', 'can be read in two ways. Enter 10 or 10000.'],
    ['es', '10,000', 'se puede leer de dos maneras. Escriba 10 o 10000.'],
    ['en', '10,5', 'Enter an amount such as 1,234.5.'],
    ['es', '10.5', 'Escriba un importe como 1.234,5.'],
    ['en', '0.00000001', 'at most 7 decimals'],
  ])('asks again in %s for %s, and keeps nothing of it', async (lang, amount, problem) => {
    const { see, submit } = await begun({ lang })
    const answer = await submit('details', { amount, rail: 'UPI' })
    expect(answer).toMatchObject({ status: 422, html: expect.stringContaining(problem) })
    expect(answer.html).toContain(`value="${amount}"`)
    expect(await see()).not.toMatch(/Review and confirm|Revise y confirme/)
  })
})

describe('the page about the customer', () => {
  it('asks for what the travel rule needs from its threshold on, keeps it, and takes nothing else', async () => {
    const settings = { threshold: '500', lei: null }
    await addTravelRule(app.deps, { settings, version: 0, by: 'operator:asha' })
    const { id, see, submit } = await begun({ lang: 'es' })
    await submit('details', { amount: '499,99', rail: 'UPI' })
    expect(await see()).toContain('Revise y confirme')
    await submit('details', { amount: '500', rail: 'UPI' })
    const page = await see()
    expect(page).toContain('Sobre usted')
    expect(page).toContain('<option value="IND" >India</option>')
    const person = { first_name: 'Asha', last_name: 'Rao', address: '1 Main Street', city: 'Pune' }
    expect(await submit('person', { ...person, address_country_code: 'XXX' })).toMatchObject({
      status: 422,
      html: expect.stringContaining('Escriba: País.'),
    })
    expect(await submit('confirm')).toMatchObject({ status: 303 })
    expect(await see()).toContain('Sobre usted')
    await submit('person', { ...person, address_country_code: 'IND', 'organization.name': 'Not asked' })
    expect(await see()).toContain('Revise y confirme')
    await submit('confirm')
    const { document } = await getRecord(app.deps, id)
    expect(document.originator.originatorPerson).toMatchObject([
      { naturalPerson: { geographicAddress: [{ townName: 'Pune', country: 'IN' }] } },
    ])
    await addTravelRule(app.deps, {
      settings: { ...settings, threshold: null },
      version: 1,
      by: 'operator:asha',
    })
  })
})

it.each([
  ['en', 'The exchange rate is that of the moment when your payment arrives'],
  ['es', 'El tipo de cambio es el del momento en que llega su pago'],
])(
  'a withdrawal without a quote says in %s whose rate it has, before and after it is agreed',
  async (lang, text) => {
    const { submit, see } = await begun({ lang, kind: 'withdrawal' })
    await submit('details', { amount: '10', rail: 'UPI', dest: 'asha@upi', dest_name: 'Asha' })
    for (const act of ['review', 'confirm']) {
      if (act === 'confirm') await submit('confirm')
      const page = await see()
      expect(page).toContain(text)
      expect(page).not.toMatch(/amounts are fixed|importes quedan fijados/)
    }
  },
)

it('a simulated bank declines in the customer’s language', async () => {
  const { submit } = await begun({ lang: 'es' })
  expect((await submit('details', { amount: '10', rail: 'UPI' })).status).toBe(303)
  expect((await submit('confirm')).status).toBe(303)
  expect(await submit('paid', { how: 'declined' })).toMatchObject({
    status: 422,
    html: expect.stringContaining('El banco simulado ha rechazado el pago.'),
  })
})

describe('a firm quote', () => {
  it('shows which transaction it is for, and cannot be confirmed after it has expired', async () => {
    const { rate } = await answerRate(app.deps, {
      type: 'firm',
      sell_asset: 'iso4217:INR',
      buy_asset: assetName(servedAsset(app.deps.config.anchor, null)),
      buy_amount: '100',
    })
    const quote_id = rate.id ?? ''
    const { id, see, submit } = await begun({ quote_id })
    app.deps.keys.verify = async () => ({
      anchorId: 'mumbai00000000000000',
      keyId: 'key_1',
      scopes: ['read'],
    })
    const headers = { authorization: 'Bearer key' }
    const { body } = await app.server.app.inject({ url: '/api/v1/quotes', headers })
    expect(JSON.parse(body)).toContainEqual(expect.objectContaining({ id: quote_id, transactionId: id }))
    expect(await see()).toContain('The amounts are fixed once you confirm')

    const { pool } = app.deps.database
    await pool.query('update firm_rates set expires_at = now() where id = $1', [quote_id])
    for (const page of [await see(), (await submit('confirm'), await see())]) {
      expect(page).toContain('The quote has expired')
      expect(page).not.toMatch(/<form|amounts hold/)
    }
    expect((await pool.query('select state from transfers where id = $1', [id])).rows).toEqual([
      { state: 'new' },
    ])
  })
})

it.each(['is away', 'has too much to do'])(
  'a page answers 503 while the database %s, and says when to come back',
  async why => {
    const { open } = await begun()
    const { database } = app.deps
    const away = openDatabase<Tables>('postgres://localhost:1/none', { name: 'away', max: 1 })
    if (why !== 'is away') away.pool.connect = () => Promise.reject(new TooManyWaiting())
    onTestFinished(async () => {
      app.deps.database = database
      await away.close()
    })
    app.deps.database = away
    const { statusCode, headers, body } = await open()
    expect({ statusCode, after: headers['retry-after'] }).toEqual({ statusCode: 503, after: '5' })
    expect(body).toContain('The anchor is not available at the moment')
  },
)

describe('the page that asks for a code', () => {
  it('counts against the browser that the proxy names, and one wallet cannot have strangers mailed', async () => {
    const { customerRegistry, config } = app.deps
    const { byWallet, sendCode, linkByCode } = customerRegistry
    const mailed: [string, string | undefined][] = []
    const entered: (string | undefined)[] = []
    onTestFinished(() => void Object.assign(customerRegistry, { byWallet, sendCode, linkByCode }))
    customerRegistry.byWallet = async () => null
    const named = new Set<string>()
    customerRegistry.sendCode = async (email, { account }, client) => {
      named.add(account)
      mailed.push([email, client])
    }
    customerRegistry.linkByCode = async (_email, _code, _wallet, client) => {
      entered.push(client)
      return null
    }
    const { submit } = await begun()
    const through = (address: string, proof = config.proxySecret ?? '') => ({
      'x-forwarded-for': address,
      [PROXY_SECRET_HEADER]: proof,
    })
    await submit('email', { email: 'asha@example.com' }, through('203.0.113.9'))
    const asked = (await submit('code', { code: '123456' }, through('203.0.113.10'))).html
    const [account = ''] = named
    expect(asked).toContain(`the wallet ${account.slice(0, 4)}…${account.slice(-4)}`)
    await submit('code', { code: '123456' }, through('6.6.6.6', 'a guess'))
    expect(mailed).toEqual([['asha@example.com', '203.0.113.9']])
    expect(entered).toEqual(['203.0.113.10', '127.0.0.1'])
    const refused = []
    for (let n = 0; n < 40; n++) {
      const answer = await submit('email', { email: `stranger-${n}@example.com` }, through(`198.51.100.${n}`))
      if (answer.status === 422) refused.push(answer.html)
    }
    expect(mailed).toHaveLength(5)
    expect(refused).toHaveLength(36)
    expect(refused[0]).toContain('Too many requests')
  })
})

describe('a wallet that is new to a verified customer', () => {
  it('waits on the page until the customer confirms it, and the page then continues', async () => {
    const { customerRegistry } = app.deps
    const { byWallet, sendCode, linkByCode } = customerRegistry
    onTestFinished(() => void Object.assign(customerRegistry, { byWallet, sendCode, linkByCode }))
    let owner: Awaited<ReturnType<typeof byWallet>> = null
    customerRegistry.byWallet = async () => owner
    customerRegistry.sendCode = async () => undefined
    customerRegistry.linkByCode = async () => 'unconfirmed'
    const { submit, open } = await begun()
    await submit('email', { email: 'asha@example.com' })
    await submit('code', { code: '123456' })
    const { body: waiting } = await open()
    expect(waiting).toContain('Confirm your wallet')
    expect(waiting).toContain('We sent an email to asha@example.com')
    expect(waiting).not.toContain('Continue</button>')
    owner = { customerId: 'cus_confirmed', status: 'ACCEPTED', walletVerified: true }
    expect((await open()).body).not.toContain('Confirm your wallet')
    // Removed at the platform, it is nobody's again: a code is asked for.
    owner = null
    const { byId } = customerRegistry
    onTestFinished(() => void (customerRegistry.byId = byId))
    customerRegistry.byId = async () => null
    await app.deps.database.pool.query(
      "update kyc_statuses set updated_at = now() - interval '11 minutes' where central_id = 'cus_confirmed'",
    )
    expect((await open()).body).toContain('Confirm your email')
  })
})

describe('an account that cannot receive the asset', () => {
  const begunFor = async (account: string, more: Partial<PlatformTransaction> = {}) => {
    const pages = await begun({ creator: { account }, destination_account: account, ...more })
    await pages.submit('details', { amount: '10', rail: 'UPI' })
    return pages
  }

  it('is named before the customer pays, with a link, a code and a transaction that add the trustline', async () => {
    const account = generateKey().publicKey
    ledger.untrusted.add(account)
    onTestFinished(() => ledger.untrusted.clear())
    const { see, submit } = await begunFor(account)
    for (const heading of ['Review and confirm', 'Pay 9']) {
      const page = await see()
      expect(page).toContain(heading)
      expect(page).toContain('Your account has no trustline for MUMBAI')
      const [, link = ''] = /href="(web\+stellar:tx\?[^"]+)"/.exec(page) ?? []
      const query = new URLSearchParams(link.replaceAll('&#38;', '&').split('?')[1])
      expect(query.get('pubkey')).toBe(account)
      const passphrase = query.get('network_passphrase') ?? ''
      const transaction = TransactionBuilder.fromXdr(query.get('xdr') ?? '', passphrase) as Transaction
      expect(transaction.source).toBe(account)
      const { code, issuer } = servedAsset(app.deps.config.anchor, null)
      expect(transaction.operations).toMatchObject([{ type: 'changeTrust', line: { code, issuer } }])
      await submit('confirm')
    }
    ledger.untrusted.clear()
    expect(await see()).not.toContain('trustline')
  })

  it('is not warned where the wallet takes claimable balances, nor while the ledger does not answer', async () => {
    const account = generateKey().publicKey
    ledger.untrusted.add(account)
    onTestFinished(() => ledger.untrusted.clear())
    expect(await (await begunFor(account, { claimable_balance_supported: true })).see()).not.toContain(
      'trustline',
    )
    const { see } = await begunFor(account)
    const { account: read } = ledger
    ledger.account = async () => Promise.reject(new Error('nobody answers'))
    onTestFinished(() => void (ledger.account = read))
    const page = await see()
    expect(page).toContain('Review and confirm')
    expect(page).not.toContain('trustline')
  })
})
