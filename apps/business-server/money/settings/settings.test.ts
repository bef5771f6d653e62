import {
  PAGE_AUDIENCE,
  type PlatformTransaction,
  type RateRequest,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import {
  type AnchorSettings,
  plannedSettings,
  type SettingsHistory,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { add, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { parseRate } from '@windlass/money/rate.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { createSecretKey, randomUUID } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { deleteCustomer, readCustomer } from '../../people/customers/sep12.ts'
import { answerRate } from '../../transfers/quotes/answer-rate.ts'
import type { Transfer } from '../../tables.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm, largestAmount } from '../../transfers/confirm.ts'
import { detachCustomer } from '../../transfers/detach-customer.ts'
import { findTransfer } from '../../transfers/find.ts'
import { readImage } from './image.ts'
import { reportedBy } from '../../testing/reported-by.ts'

let app: BusinessApp
let planned: AnchorSettings
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({ asset: () => ours() })
  app = await startBusinessApp({ horizon: ledger })
  planned = plannedSettings(app.deps.config.anchor.plan)
  let people = 0
  const owners = new Map<string, string>()
  app.deps.customerRegistry.byWallet = async address => {
    const customerId = owners.get(address) ?? `cus_${++people}`
    owners.set(address, customerId)
    return { customerId, status: 'ACCEPTED', walletVerified: true }
  }
})
afterAll(() => app.close())
beforeEach(() => change({}))

const ours = () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`

const admin = (method: 'GET' | 'PUT' | 'POST', url: string, payload?: object) =>
  app.server.app.inject({
    method,
    url,
    headers: asPlatform(app.deps.config.secrets),
    ...(payload ? { payload } : {}),
  })

async function history(): Promise<SettingsHistory['history']> {
  return (await admin('GET', '/admin/settings')).json<SettingsHistory>().history
}

async function put(settings: object, version?: number) {
  const known = version ?? (await history())[0]?.version ?? 0
  return admin('PUT', '/admin/settings', { settings, version: known, by: 'operator:asha' })
}

/** Sets the planned settings but for these. */
async function change(over: Partial<AnchorSettings>): Promise<void> {
  const answer = await put({ ...planned, ...over })
  if (answer.statusCode !== 200) throw new Error(answer.body)
}

const fee = (fixed: string, percentage = '0') => ({ fixed, percentage })
const NONE = { transaction: null, day: null, month: null }

async function begin(account: string, over: Partial<PlatformTransaction> = {}): Promise<Transfer> {
  return acceptTransaction(app.deps, reportedBy(account, over))
}

const read = async ({ id }: Transfer) => {
  const found = await findTransfer(app.deps.database.db, id)
  if (!found) throw new Error('gone')
  return found
}

const pay = (transfer: Transfer, amount = transfer.fiat_amount ?? '') =>
  receiveRailPayment(app.deps, transfer.rail, {
    kind: 'received',
    paymentId: randomUUID(),
    reference: transfer.reference ?? '',
    amount,
    currency: transfer.currency,
  })

const quote = (over: Partial<RateRequest>) =>
  answerRate(app.deps, {
    type: 'firm',
    sell_asset: 'iso4217:INR',
    buy_asset: `stellar:${ours()}`,
    ...over,
  })

const newAccount = () => generateKey().publicKey

describe('settings', () => {
  it('are kept with their author, and what was before stays', async () => {
    const before = await history()
    await change({ fees: { ...planned.fees, deposit: fee('1.50', '0.010') } })
    const [newest, previous] = await history()
    expect(newest).toMatchObject({ by: 'operator:asha', at: expect.stringMatching(/Z$/) })
    expect(newest?.settings.fees.deposit).toEqual(fee('1.5', '0.01'))
    expect(previous).toEqual(before[0])
    expect((await history()).at(-1)).toEqual({ version: 0, settings: planned, by: null, at: null })
    const { pool } = app.deps.database
    await expect(pool.query(`update business_settings set by = 'x'`)).rejects.toThrow('only added to')
    await expect(pool.query('delete from business_settings')).rejects.toThrow('only added to')
  })

  it('that are saved as they are add no version', async () => {
    const before = await history()
    const { deposit } = planned.fees
    await change({ fees: { ...planned.fees, deposit: { ...deposit, fixed: `${deposit.fixed}0` } } })
    expect(await history()).toEqual(before)
  })

  it('name what wallets may not do, and nothing that they may', async () => {
    await change({ wallets: { mixedMemos: false, newAccounts: true } })
    expect((await history())[0]?.settings.wallets).toEqual({ mixedMemos: false })
    await change({ wallets: { mixedMemos: true } })
    expect((await history())[0]?.settings).not.toHaveProperty('wallets')
  })

  it('of another version are not overwritten, also by two at once', async () => {
    const version = (await history())[0]?.version ?? 0
    const answers = await Promise.all(
      ['1', '2'].map(fixed => put({ ...planned, fees: { ...planned.fees, deposit: fee(fixed) } }, version)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({
      code: 'settings-changed',
    })
  })

  it('are the platform’s to change: the summary secret alone reads', async () => {
    const headers = { 'x-service-secret': app.deps.config.secrets.summary }
    const inject = app.server.app.inject.bind(app.server.app)
    expect((await inject({ url: '/admin/settings', headers })).statusCode).toBe(200)
    const payload = { settings: planned, version: 0, by: 'x' }
    expect((await inject({ method: 'PUT', url: '/admin/settings', headers, payload })).statusCode).toBe(401)
  })

  it.each<[string, (settings: AnchorSettings) => object]>([
    ['fees.deposit.fixed', s => ({ fees: { ...s.fees, deposit: fee('-1') } })],
    ['fees.withdrawal.percentage', s => ({ fees: { ...s.fees, withdrawal: fee('0', '1') } })],
    ['fees.withdrawal', s => ({ fees: { ...s.fees, withdrawal: fee('1') } })],
    [
      'fees.rails.0.rail',
      s => ({ fees: { ...s.fees, rails: [{ rail: 'ACH', direction: 'deposit', ...fee('1') }] } }),
    ],
    [
      'fees.rails.1',
      s => ({
        fees: {
          ...s.fees,
          rails: ['1', '2'].map(fixed => ({ rail: 'UPI', direction: 'deposit', ...fee(fixed) })),
        },
      }),
    ],
    ['limits.min', s => ({ limits: { ...s.limits, min: '0' } })],
    ['limits.min', s => ({ limits: { ...s.limits, min: '10001' } })],
    [
      'limits.tiers.standard.day',
      s => ({
        limits: { ...s.limits, tiers: { standard: { ...NONE, day: '20', month: '10' }, enhanced: NONE } },
      }),
    ],
    ['rails.0.name', () => ({ rails: [{ name: 'GIRO', deposits: true, withdrawals: true }] })],
    ['branding.color', s => ({ branding: { ...s.branding, color: '#ffcc00' } })],
  ])('with a wrong %s are refused and change nothing', async (path, over) => {
    const before = await history()
    const answer = await put({ ...planned, ...over(planned) })
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ errors: { path: string }[] }>().errors[0]?.path).toBe(path)
    expect(await history()).toEqual(before)
  })
})

describe('a fee that changes between quote, start and payment', () => {
  it('leaves a quoted deposit as it was quoted', async () => {
    const account = newAccount()
    const { rate } = await quote({ buy_amount: '20', client_id: account })
    await change({ fees: { ...planned.fees, deposit: fee('5', '0.1') } })
    const quoted = await begin(account, { quote_id: rate.id ?? '' })
    const agreed = await confirm(app.deps, quoted.id)
    await change({ fees: { ...planned.fees, deposit: fee('7') } })
    await pay(agreed, rate.sell_amount)
    expect(await read(agreed)).toMatchObject({ state: 'funded', amount: '20.0000000', fee: '0.6000000' })
    const sent = await app.deps.database.pool.query<{ params: { fee_details: { details: object[] } } }>(
      `select params from platform_calls where transfer_id = $1 and params ? 'fee_details'`,
      [agreed.id],
    )
    for (const { params } of sent.rows)
      expect(params.fee_details.details[0]).toEqual({ name: 'Fixed fee', amount: '0.5' })
  })

  it('leaves every transaction with the fee it started with, to the last unit', async () => {
    const amounts = fc
      .bigInt({ min: 10_000_000n, max: 50_000_000_000n })
      .map(units => formatAmount(amountOf(units)))
    const fees = fc.record({
      fixed: fc.bigInt({ min: 0n, max: 5_000_000n }).map(units => formatAmount(amountOf(units))),
      percentage: fc.integer({ min: 0, max: 300 }).map(thousandths => (thousandths / 1000).toString()),
    })
    await fc.assert(
      fc.asyncProperty(fees, fees, fees, amounts, async (first, second, third, amount) => {
        await change({ fees: { ...planned.fees, deposit: first } })
        const started = await begin(newAccount(), { amount_expected: { amount } })
        await change({ fees: { ...planned.fees, deposit: second } })
        const agreed = await confirm(app.deps, started.id)
        await change({ fees: { ...planned.fees, deposit: third } })
        await pay(agreed)
        const paid = await read(agreed)
        const schedule = { fixed: parseAmount(first.fixed), percentage: parseRate(first.percentage) }
        const units = parseAmount(amount)
        expect(paid.state).toBe('funded')
        expect(parseAmount(paid.amount ?? '')).toBe(units)
        expect(parseAmount(paid.fee ?? '')).toBe(feeFor(schedule, units))
        const cost = (add(units, feeFor(schedule, units)) * 885n) / 10n
        expect(parseAmount(paid.fiat_amount ?? '') - cost).toBeLessThanOrEqual(100_000n)
      }),
      { numRuns: 8 },
    )
    const { rows } = await app.deps.database.pool.query(
      'select entry_id, unit from journal_lines group by 1, 2 having sum(amount) <> 0',
    )
    expect(rows).toEqual([])
  })

  it('does not count for late money, which has the fees of the day', async () => {
    const started = await begin(newAccount())
    const agreed = await confirm(app.deps, started.id)
    await change({ fees: { ...planned.fees, deposit: fee('19') } })
    const clock = { ...app.deps.clock, now: () => new Date((agreed.expires_at?.getTime() ?? 0) + 1) }
    const paymentId = randomUUID()
    const { reference, fiat_amount: amount, currency } = agreed
    const report = {
      kind: 'received',
      paymentId,
      reference: reference ?? '',
      amount: amount ?? '',
      currency,
    } as const
    await receiveRailPayment({ ...app.deps, clock }, 'UPI', report)
    const { state, amount: units, fee: charged } = await read(agreed)
    expect([state, units, charged]).toEqual(['funded', '1.6000000', '19.0000000'])
  })
})

describe('a fee over one rail', () => {
  const overSepa = { rail: 'SEPA', direction: 'deposit' as const, ...fee('2') }

  it('is that of quotes with its delivery method and of transactions over it, in its direction', async () => {
    app.deps.config.fx = { INR: '88.50', EUR: '0.92' }
    await change({ fees: { ...planned.fees, rails: [overSepa] } })
    const euro = { type: 'indicative', sell_asset: 'iso4217:EUR', buy_amount: '100' } as const
    expect((await quote({ ...euro, sell_delivery_method: 'sepa' })).rate.sell_amount).toBe('93.84')
    expect((await quote({ type: 'indicative', buy_amount: '100' })).rate.sell_amount).toBe('8938.5')
    const over = await begin(newAccount(), { type: 'sepa' })
    expect(await confirm(app.deps, over.id)).toMatchObject({ rail: 'SEPA', fee: '2.0000000' })
    const back = { type: 'indicative', sell_asset: `stellar:${ours()}`, buy_asset: 'iso4217:EUR' } as const
    expect((await quote({ ...back, sell_amount: '100' })).rate.fee.total).toBe('1')
  })
})

describe('a spread on exchange rates', () => {
  it('is in quotes and new transactions, on the side of the anchor, and in no open one', async () => {
    const started = await begin(newAccount())
    await change({ fees: { ...planned.fees, spread: { deposit: '0.020', withdrawal: '0.01' } } })
    expect((await history())[0]?.settings.fees.spread).toEqual({ deposit: '0.02', withdrawal: '0.01' })
    const bought = await quote({ type: 'indicative', buy_amount: '100' })
    expect(bought.rate.sell_amount).toBe('9117.27')
    const back = { sell_asset: `stellar:${ours()}`, buy_asset: 'iso4217:INR' } as const
    const sold = await quote({ type: 'indicative', ...back, sell_amount: '100' })
    expect(sold.rate.buy_amount).toBe('8673.88')
    const cost = async (transfer: Transfer) => Number((await confirm(app.deps, transfer.id)).fiat_amount)
    expect(await cost(started)).toBe(1823.1)
    expect(await cost(await begin(newAccount()))).toBe(1859.57)
    await change({ fees: { ...planned.fees, spread: { deposit: '0', withdrawal: '0.0' } } })
    expect((await history())[0]?.settings.fees).toEqual(planned.fees)
    const tooMuch = { deposit: '0', withdrawal: '0.21' }
    const refused = await put({ ...planned, fees: { ...planned.fees, spread: tooMuch } })
    expect([refused.statusCode, refused.json().detail]).toEqual([400, expect.stringContaining('0.2')])
  })
})

describe('a pause', () => {
  it('refuses what is not agreed with its message, and continues what is', async () => {
    const account = newAccount()
    const open = await confirm(app.deps, (await begin(account)).id)
    const waiting = await begin(account)
    await change({ paused: { deposits: 'We are back on Monday.', withdrawals: null } })
    await expect(confirm(app.deps, waiting.id)).rejects.toThrow('We are back on Monday.')
    await expect(quote({ buy_amount: '20', client_id: account })).rejects.toThrow('We are back on Monday.')
    await pay(open)
    expect((await read(open)).state).toBe('funded')
    const withdrawal = await begin(account, { kind: 'withdrawal', fields: { dest: 'asha@okbank' } })
    expect((await confirm(app.deps, withdrawal.id)).state).toBe('awaiting_funds')
    await change({})
    expect((await confirm(app.deps, waiting.id)).state).toBe('awaiting_funds')
  })

  it('of one rail leaves the others', async () => {
    const rails = [{ name: 'UPI', deposits: false, withdrawals: true }]
    await change({ rails })
    const named = await begin(newAccount(), { type: 'upi' })
    await expect(confirm(app.deps, named.id)).rejects.toThrow('UPI is not available for deposits')
    expect((await begin(newAccount())).rail).toBe('SEPA')
    const out = await begin(newAccount(), { kind: 'withdrawal', fields: { dest: 'asha@okbank' } })
    expect((await confirm(app.deps, out.id)).rail).toBe('UPI')
  })
})

describe('the limits of a tier', () => {
  const standard = { transaction: '50', day: '60', month: '100' }
  const tiers = { standard, enhanced: NONE }

  it('bind one transaction, and a day over all accounts of a person, deleted ones too', async () => {
    const [account, other] = [newAccount(), newAccount()]
    const { byWallet } = app.deps.customerRegistry
    app.deps.customerRegistry.byWallet = async () => ({
      customerId: 'one-person',
      status: 'ACCEPTED',
      walletVerified: true,
    })
    await change({ limits: { ...planned.limits, tiers } })
    const start = async (from: string, amount: string) => {
      const transfer = await begin(from, { amount_expected: { amount } })
      // Who owns the account is known once the customer is asked for.
      await app.deps.database.pool.query(
        `update customers set central_id = 'one-person' where account = $1`,
        [from],
      )
      return transfer
    }
    await expect(confirm(app.deps, (await start(account, '51')).id)).rejects.toThrow(
      'one transaction may be 50',
    )
    await confirm(app.deps, (await start(account, '45')).id)
    const more = await start(other, '20')
    await expect(confirm(app.deps, more.id)).rejects.toThrow('at most 60 is possible in 24 hours; 15 is left')
    expect(formatAmount(await largestAmount(app.deps, more))).toBe('15')
    const both = await Promise.allSettled(
      [await start(other, '10'), await start(account, '10')].map(({ id }) => confirm(app.deps, id)),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const idOf = async (address: string) =>
      (
        await app.deps.database.pool.query<{ id: string }>('select id from customers where account = $1', [
          address,
        ])
      ).rows[0]?.id ?? ''
    await deleteCustomer(app.deps, await idOf(account), detachCustomer)
    const afterwards = await start(newAccount(), '20')
    await expect(confirm(app.deps, afterwards.id)).rejects.toThrow('; 5 is left')
    const decision = { tier: 'enhanced', reason: 'Proof of income seen', by: 'operator:asha' }
    const raised = await admin('PUT', `/admin/customers/${await idOf(other)}/tier`, decision)
    expect(raised.json()).toEqual({ tier: 'enhanced', before: 'standard' })
    expect((await confirm(app.deps, more.id)).state).toBe('awaiting_funds')
    app.deps.customerRegistry.byWallet = byWallet
  })

  it('bind over accounts that a person linked without proof, with the tier of nobody', async () => {
    const [first, other] = [newAccount(), newAccount()]
    const { byWallet } = app.deps.customerRegistry
    app.deps.customerRegistry.byWallet = async () => ({
      customerId: 'two-wallets',
      status: 'ACCEPTED',
      walletVerified: false,
    })
    await change({ limits: { ...planned.limits, tiers } })
    const agree = async (account: string, amount: string) => {
      const transfer = await begin(account, { amount_expected: { amount } })
      expect((await readCustomer(app.deps, { account })).status).toBe('ACCEPTED')
      return confirm(app.deps, transfer.id)
    }
    await agree(first, '45')
    await expect(agree(other, '20')).rejects.toThrow('; 15 is left')
    await app.deps.database.pool.query(
      `insert into customer_tiers (central_id, tier, reason, by) values ('two-wallets', 'enhanced', 'r', 'b')`,
    )
    await expect(agree(other, '20')).rejects.toThrow('; 15 is left')
    expect((await agree(other, '15')).state).toBe('awaiting_funds')
    app.deps.customerRegistry.byWallet = byWallet
  })

  it('hold against a person who agrees to twelve transfers over three accounts at once', async () => {
    const accounts = [newAccount(), newAccount(), newAccount()]
    const { byWallet } = app.deps.customerRegistry
    app.deps.customerRegistry.byWallet = async () => ({
      customerId: 'hasty-person',
      status: 'ACCEPTED',
      walletVerified: true,
    })
    await change({ limits: { ...planned.limits, tiers } })
    for (const account of accounts) {
      await begin(account, { amount_expected: { amount: '7' } })
      expect((await readCustomer(app.deps, { account })).status).toBe('ACCEPTED')
    }
    const begun = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        begin(accounts[index % 3] ?? '', { amount_expected: { amount: '7' } }),
      ),
    )
    const agreed = await Promise.allSettled(begun.map(({ id }) => confirm(app.deps, id)))
    const refused = agreed.flatMap(each => (each.status === 'rejected' ? String(each.reason.message) : []))
    // 60 in a day: eight of 7, whichever they are.
    expect(agreed.length - refused.length).toBe(8)
    expect(new Set(refused)).toEqual(
      new Set(['the amount is above your limit: at most 60 is possible in 24 hours; 4 is left']),
    )
    // Money that is paid to open amounts meets the same bound, however much comes in one moment.
    const open = await Promise.all(
      accounts.map(async account =>
        confirm(app.deps, (await begin(account, { amount_expected: undefined })).id),
      ),
    )
    await Promise.all(open.map(transfer => pay(transfer, '8938.50')))
    const states = await Promise.all(open.map(async transfer => (await read(transfer)).state))
    expect(states).toEqual(['returning', 'returning', 'returning'])
    app.deps.customerRegistry.byWallet = byWallet
  })

  it('return money of any amount that is above them', async () => {
    await change({ limits: { ...planned.limits, tiers } })
    const open = await confirm(app.deps, (await begin(newAccount(), { amount_expected: undefined })).id)
    await pay(open, '8938.50')
    expect(await read(open)).toMatchObject({ state: 'returning', message: expect.stringContaining('limit') })
  })
})

describe('branding', () => {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = (width: number, height: number) => {
    const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
    data.writeUInt32BE(width)
    data.writeUInt32BE(height, 4)
    return chunk('IHDR', data)
  }
  const png = (width = 1, height = 1, more = Buffer.alloc(0)) =>
    Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      header(width, height),
      more,
      chunk('IDAT', deflateSync(Buffer.from([0, 255]))),
      chunk('IEND', Buffer.alloc(0)),
    ])
  const upload = (file: Buffer) =>
    admin('POST', '/admin/logos', { data: file.toString('base64'), by: 'operator:asha' })

  it('keeps of an image the picture alone', async () => {
    const script = Buffer.from('<script>alert(1)</script>')
    const hostile = Buffer.concat([png(1, 1, chunk('tEXt', script)), script])
    const answer = await upload(hostile)
    expect(answer.statusCode).toBe(201)
    const { id } = answer.json<{ id: string }>()
    const served = await app.server.app.inject(`/interactive/logos/${id}`)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(served.rawPayload).toEqual(png())
    expect(answer.json()).toMatchObject({ width: 1, height: 1 })
    const jpeg = (...parts: number[][]) => Buffer.from([0xff, 0xd8, ...parts.flat(), 0xff, 0xd9])
    const [exif, frame, scan] = [
      [0xff, 0xe1, 0, 4, 1, 2],
      [0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0],
      [0xff, 0xda, 0, 3, 0, 7, 0xff, 0, 7],
    ]
    const read = readImage(Buffer.concat([jpeg(exif ?? [], frame ?? [], scan ?? []), script]))
    expect(read).toMatchObject({ mediaType: 'image/jpeg', width: 3, height: 2 })
    expect(read?.bytes).toEqual(jpeg(frame ?? [], scan ?? []))
  })

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['a damaged PNG', png().with(30, 7)],
    ['half a PNG', png().subarray(0, 40)],
    ['a picture that is too wide', png(4096, 1)],
    ['half a JPEG', Buffer.from('ffd8ffda0003', 'hex')],
    ['nothing of the kind', Buffer.from('logo')],
  ])('refuses %s', async (_, file) => {
    expect((await upload(Buffer.from(file))).statusCode).toBe(400)
  })

  it('never fails on bytes of strangers', () => {
    const starts = fc.constantFrom(png(), Buffer.from('ffd8ffe000104a464946', 'hex'))
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 60 }), fc.nat(40), (start, bytes, at) => {
        readImage(Buffer.concat([start.subarray(0, at), bytes]))
      }),
    )
  })

  it('is on every page of the customer', async () => {
    const { id: logo } = (await upload(png())).json<{ id: string }>()
    await change({ branding: { color: '#8a1c1c', logo, supportEmail: 'help@mumbai.example' } })
    const { id } = await begin(newAccount())
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(PAGE_AUDIENCE)
      .setJti(id)
      .setExpirationTime('1h')
      .sign(createSecretKey(Buffer.from(app.deps.config.secrets.jwt)))
    for (const query of [`transaction_id=${id}&token=${token}`, 'transaction_id=x&token=y']) {
      const page = (await app.server.app.inject(`/interactive/start?${query}`)).body
      expect(page).toContain(`<img class="mark" src="/interactive/logos/${logo}"`)
      expect(page).toContain('href="/interactive/colors/8a1c1c.css"')
      expect(page).toContain('mailto:help@mumbai.example')
    }
    const sheet = await app.server.app.inject('/interactive/colors/8a1c1c.css')
    expect(sheet.body).toContain('--accent: #8a1c1c')
    expect((await app.server.app.inject('/interactive/colors/red.css')).statusCode).toBe(404)
    const unknown = await put({ ...planned, branding: { ...planned.branding, logo: 'a'.repeat(64) } })
    expect(unknown.statusCode).toBe(400)
  })
})
