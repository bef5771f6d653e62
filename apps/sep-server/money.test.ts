import { Keypair, Memo, Operation } from '@stellar/stellar-sdk/base'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCollector, type Collector } from '@windlass/testing/collector.ts'
import { hasPrometheus, startPrometheus } from '@windlass/testing/prometheus.ts'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import { agreedDeposit, agreedWithdrawal, payOverRail } from './testing/transfers.ts'
import {
  assetOf,
  balanceOf,
  fundedWallet,
  give,
  openTrustline,
  logIn,
  payAnchor,
  registerWallet,
  submit,
  until,
} from './testing/wallet.ts'

let running: RunningAnchor
let collector: Collector
beforeAll(async () => {
  collector = await startCollector()
  running = await startRunningAnchor({ collector: collector.url })
})
afterAll(async () => {
  await running.stop()
  await collector.close()
})

/** A known customer's wallet with a trustline and some of the asset. */
async function customer(holding = '0'): Promise<Keypair> {
  const key = await fundedWallet(running)
  registerWallet(running, key)
  await openTrustline(running, key)
  if (holding !== '0') await give(running, key, holding)
  return key
}

async function treasury(): Promise<{ capacity: number; reserved: number }> {
  const answer = await fetch(`${running.businessUrl}/admin/summary`, {
    headers: { 'x-service-secret': running.secrets.summary },
  })
  const { treasury_capacity, assets } = (await answer.json()) as {
    treasury_capacity: string
    assets: { reserved: string }[]
  }
  return { capacity: Number(treasury_capacity), reserved: Number(assets[0]?.reserved) }
}

describe('a deposit', () => {
  it('reserves capacity from the confirmation until it is paid', async () => {
    const before = await treasury()
    const key = await customer()
    const deposit = await agreedDeposit(running, key, '40')
    expect(await treasury()).toEqual({ capacity: before.capacity - 40, reserved: before.reserved + 40 })
    await payOverRail(running, deposit.id)
    await deposit.becomes('completed')
    expect(await treasury()).toEqual({ capacity: before.capacity - 40, reserved: before.reserved })
  })

  it('is one trace, from the wallet’s request to the ledger’s answer and back to the wallet’s server', async () => {
    const key = await customer()
    const deposit = await agreedDeposit(running, key, '10')
    await payOverRail(running, deposit.id)
    await deposit.becomes('completed')
    const begun = () =>
      collector
        .spans()
        .filter(({ name }) => name === 'POST /sep24/transactions/deposit/interactive')
        .at(-1)
    await until('the request is collected', async () => begun())
    const trace = begun()?.traceId ?? ''
    const has = (service: string, kind: string, name: string, port?: number) =>
      collector
        .spans()
        .some(
          span =>
            span.traceId === trace &&
            [span.service, span.kind, span.name].join() === [service, kind, name].join() &&
            (port === undefined || span.attributes['server.port'] === port),
        )
    const ledger = new URL(running.network.url)
    await until('the whole trace is collected', async () =>
      [
        has('sep-server', 'consumer', 'deliver event'),
        has('business-server', 'server', 'POST /event'),
        has('business-server', 'consumer', 'pay deposit'),
        has('business-server', 'client', `POST ${ledger.hostname}`, Number(ledger.port)),
        has('business-server', 'consumer', 'send to the SEP server'),
        has('sep-server', 'server', 'POST /'),
      ].every(Boolean),
    )
    const lines = running
      .logs()
      .split('\n')
      .filter(line => line.includes(trace))
      .map(line => JSON.parse(line) as { name: string; requestId?: string })
    expect(new Set(lines.map(({ name }) => name))).toEqual(new Set(['sep-server', 'business-server']))
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(1)
  })

  it('waits for the trustline and continues by itself', async () => {
    const key = await fundedWallet(running)
    registerWallet(running, key)
    const deposit = await agreedDeposit(running, key, '10')
    await payOverRail(running, deposit.id)
    await deposit.becomes('pending_trust')
    await openTrustline(running, key)
    await deposit.becomes('completed')
    expect(await balanceOf(running, key.publicKey())).toBe('10.0000000')
  })

  it('becomes a claimable balance where wallet and account ask for one', async () => {
    const key = await fundedWallet(running)
    registerWallet(running, key)
    const deposit = await agreedDeposit(running, key, '10', { claimable_balance_supported: 'true' })
    await payOverRail(running, deposit.id)
    const { claimable_balance_id: id } = await deposit.becomes('completed')
    const found = await fetch(`${running.network.url}/claimable_balances/${id}`)
    expect(await found.json()).toMatchObject({
      amount: '10.0000000',
      claimants: [
        { destination: key.publicKey(), predicate: { unconditional: true } },
        { predicate: { not: { abs_before: expect.any(String) } } },
      ],
    })
  })

  it('is refunded over the rail when another amount comes, and the second time too', async () => {
    const key = await customer()
    const deposit = await agreedDeposit(running, key, '10')
    await payOverRail(running, deposit.id, '5')
    const { refunds, message } = await deposit.becomes('refunded')
    expect(message).toContain('The payment is refunded')
    expect(refunds).toMatchObject({ amount_refunded: '5', payments: [{ id_type: 'external' }] })
    const late = await payOverRail(running, deposit.id)
    await until('the late payment goes back', async () => {
      const [order] = await running.query(
        "select state from business.rail_orders where kind = 'return' and destination->>'paymentId' = $1",
        [late],
      )
      return order?.state === 'paid'
    })
    expect(await balanceOf(running, key.publicKey())).toBe('0.0000000')
  })

  it('is paid once however often the rail reports the money', async () => {
    const key = await customer()
    const deposit = await agreedDeposit(running, key, '10')
    const id = await payOverRail(running, deposit.id)
    await deposit.becomes('completed')
    await running.query(
      'update business.simulated_rail_payments set reported_at = null, due_at = now() where id = $1',
      [id],
    )
    await until('it is reported again', async () => {
      const [row] = await running.query(
        'select reported_at from business.simulated_rail_payments where id = $1',
        [id],
      )
      return row?.reported_at
    })
    await sleep(300)
    expect(await balanceOf(running, key.publicKey())).toBe('10.0000000')
  })

  it('expires when it is not paid, releases its reservation, and still accepts a late payment', async () => {
    const { reserved } = await treasury()
    const key = await customer()
    const deposit = await agreedDeposit(running, key, '10')
    await running.query(
      "update business.transfers set expires_at = now() - interval '1 minute' where id = $1",
      [deposit.id],
    )
    await deposit.becomes('expired')
    expect((await treasury()).reserved).toBe(reserved)
    await payOverRail(running, deposit.id)
    await deposit.becomes('completed')
    expect(await balanceOf(running, key.publicKey())).toBe('10.0000000')
  })
})

describe('a withdrawal', () => {
  it('is refunded on the ledger when another amount comes', async () => {
    const key = await customer('50')
    const withdrawal = await agreedWithdrawal(running, key, '20')
    const paid = await payAnchor(running, key, '23', Memo.id(withdrawal.memo))
    const { refunds, message } = await withdrawal.becomes('refunded')
    expect(message).toContain('20 was agreed')
    expect(refunds).toMatchObject({ amount_refunded: '23', payments: [{ id_type: 'stellar' }] })
    const receipt = await withdrawal.browser.open(`/interactive/t/${withdrawal.id}`)
    for (const hash of [paid, refunds?.payments[0]?.id]) {
      expect(receipt.html).toContain(`<span>${hash}</span>`)
    }
    expect(await balanceOf(running, key.publicKey())).toBe('50.0000000')
  })

  it('is refunded when the bank cannot pay', async () => {
    const key = await customer('50')
    const withdrawal = await agreedWithdrawal(running, key, '20', 'fail@okbank')
    await payAnchor(running, key, '20', Memo.id(withdrawal.memo))
    const { message } = await withdrawal.becomes('refunded')
    expect(await balanceOf(running, key.publicKey())).toBe('50.0000000')
    expect(message).toMatch(/^The payout failed and the payment is refunded: (?!undefined)/)
  })

  it('is paid out once: a second payment with its memo is refunded', async () => {
    const key = await customer('50')
    const withdrawal = await agreedWithdrawal(running, key, '20')
    await payAnchor(running, key, '20', Memo.id(withdrawal.memo))
    await withdrawal.becomes('completed')
    const second = await payAnchor(running, key, '20', Memo.id(withdrawal.memo))
    await until(
      'the second payment goes back',
      async () => (await balanceOf(running, key.publicKey())) === '30.0000000',
    )
    const [refund] = await running.query(
      "select memo, memo_type from business.ledger_payments where purpose = 'refund' and memo = $1",
      [second],
    )
    expect(refund).toEqual({ memo: second, memo_type: 'return' })
    const orders = await running.query('select 1 from business.rail_orders where transfer_id = $1', [
      withdrawal.id,
    ])
    expect(orders).toHaveLength(1)
  })

  it.each([
    ['no memo', Memo.none()],
    ['a memo of nobody', Memo.id('77')],
    ['a memo beyond 63 bits', Memo.id('18446744073709551615')],
    ['a text', Memo.text('hello')],
  ])('does not match a payment with %s: it is refunded', async (_what, memo) => {
    const key = await customer('5')
    await payAnchor(running, key, '5', memo)
    await until('it goes back', async () => {
      const [row] = await running.query(
        "select state from business.ledger_payments where purpose = 'refund' and destination = $1",
        [key.publicKey()],
      )
      return row?.state === 'paid'
    })
    expect(await balanceOf(running, key.publicKey())).toBe('5.0000000')
  })
})

it('kill -9 of either server, again and again, neither loses nor creates money', async () => {
  const deposits = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const key = await customer()
      return { key, deposit: await agreedDeposit(running, key, '10') }
    }),
  )
  const withdrawals: { key: Keypair; withdrawal: Awaited<ReturnType<typeof agreedWithdrawal>> }[] = []
  // One after the other: the issuer's payments share its sequence numbers.
  for (let count = 0; count < 4; count++) {
    const key = await customer('30')
    withdrawals.push({ key, withdrawal: await agreedWithdrawal(running, key, '20') })
  }
  const before = Number(await balanceOf(running, running.anchor.accounts.distribution))
  for (const { deposit } of deposits) await payOverRail(running, deposit.id)
  await Promise.all(
    withdrawals.map(({ key, withdrawal }) => payAnchor(running, key, '20', Memo.id(withdrawal.memo))),
  )
  for (const [server, wait] of [
    ['business', 150],
    ['business', 400],
    ['sep', 300],
    ['business', 650],
  ] as const) {
    await sleep(wait)
    await running.kill(server)
    await running.start(server)
  }
  await Promise.all([
    ...deposits.map(({ deposit }) => deposit.becomes('completed', 40)),
    ...withdrawals.map(({ withdrawal }) => withdrawal.becomes('completed', 40)),
  ])
  for (const { key } of [...deposits, ...withdrawals]) {
    expect(await balanceOf(running, key.publicKey())).toBe('10.0000000')
  }
  const after = Number(await balanceOf(running, running.anchor.accounts.distribution))
  expect(after - before).toBe(4 * 20 - 4 * 10)
  const payouts = await running.query(
    "select reference from business.simulated_rail_payments where direction = 'out' and reference = any($1)",
    [withdrawals.map(({ withdrawal }) => withdrawal.id)],
  )
  expect(payouts).toHaveLength(4)
  expect(await running.query('select 1 from business.platform_calls where refused is not null')).toEqual([])
})

/** Seconds until Prometheus has noticed, also on a slow machine. */
const PATIENCE = 60
if (!hasPrometheus)
  console.warn('prometheus is not installed (Debian: prometheus): no alert is fired by a fault')

it.skipIf(!hasPrometheus)(
  'a real Prometheus fires the alert of each fault while it lasts',
  async () => {
    const { anchor } = running
    const targetOf = (part: string, url: string) => ({
      job: 'windlass-anchors',
      address: new URL(url).host,
      labels: { anchor: 'mumbai.example', part },
    })
    const prometheus = await startPrometheus([
      targetOf('sep-server', anchor.sepServerUrl),
      targetOf('business-server', anchor.businessServerUrl),
    ])
    const fires = (...names: string[]) =>
      until(
        `${names.join(' and ')} fire`,
        async () => {
          const firing = await prometheus.firing().catch((): string[] => [])
          return names.every(name => firing.includes(name))
        },
        PATIENCE,
      )
    const silent = (...names: string[]) =>
      until(
        `${names.join(' and ')} are silent`,
        async () => {
          const firing = await prometheus.firing().catch(() => names)
          return names.every(name => !firing.includes(name))
        },
        PATIENCE,
      )
    try {
      await until(
        'both servers are scraped',
        async () => (await prometheus.up().catch(() => [])).length === 2,
        PATIENCE,
      )
      await silent(
        'WindlassTreasuryShort',
        'WindlassAnchorServerDown',
        'WindlassOutboxStuck',
        'WindlassObserverBehind',
      )

      // The treasury is emptied by the holder of its key while a customer pays.
      const [key, late] = [await customer(), await customer()]
      const token = await logIn(running, late)
      const deposit = await agreedDeposit(running, key, '10')
      const held = (await balanceOf(running, anchor.accounts.distribution)) ?? '0'
      const send = (from: string, destination: string) =>
        submit(
          running,
          Keypair.fromSecret(from),
          Operation.payment({ asset: assetOf(running), amount: held, destination }),
        )
      await send(running.distribution.secret, anchor.accounts.issuer)
      await payOverRail(running, deposit.id)
      await fires('WindlassTreasuryShort', 'WindlassTreasuryLow')
      await send(running.issuer.secret, anchor.accounts.distribution)
      await deposit.becomes('completed', PATIENCE)
      await silent('WindlassTreasuryShort', 'WindlassTreasuryLow')

      // Horizon is away.
      await running.network.stop()
      await running.query("update business.observed set caught_up_at = now() - interval '10 minutes'")
      await fires('WindlassObserverBehind', 'WindlassMetricsUnreadable')

      // The business server ends: the SEP server's messages wait for it.
      await running.kill('business')
      const begun = await fetch(`${anchor.publicUrl}/sep24/transactions/deposit/interactive`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({ asset_code: anchor.plan.asset.code }),
      })
      expect(begun.status).toBe(200)
      await running.query(
        "update sep.outbox set created_at = now() - interval '10 minutes' where delivered_at is null",
      )
      await fires('WindlassAnchorServerDown', 'WindlassOutboxStuck')
    } finally {
      await prometheus.stop()
    }
  },
  400_000,
)
