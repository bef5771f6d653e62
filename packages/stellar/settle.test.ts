import { Account, Operation, TransactionBuilder, type Transaction } from '@stellar/stellar-sdk/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LedgerHead, ProofSource } from './horizon.ts'
import { generateKey, signTransaction } from './keys.ts'
import type { SecondSource } from './second-source.ts'
import { readSigned } from './signatures.ts'
import { settle, type EnvelopeStore, type Settlement } from './settle.ts'
import { memoryEnvelopes } from './testing/memory-envelopes.ts'
import { FAULTS, UnreliableNetwork, type Fault } from './testing/unreliable-network.ts'

const source = generateKey()
const fault = fc.oneof(
  { arbitrary: fc.constant<Fault>('none'), weight: 3 },
  { arbitrary: fc.constantFrom(...FAULTS), weight: 4 },
)

describe('settling a transaction behind several Horizon instances', () => {
  it('applies it exactly once, whatever lags, is lost or dies, and whatever else uses the account', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 80 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(9), { maxLength: 12 }),
        fc.array(fc.nat(40), { maxLength: 4 }),
        fc.boolean(),
        async (faults, lag, kills, others, isSeconded) => {
          const network = new UnreliableNetwork({ faults, lag })
          const settlement = settlementOn(network, others)
          if (isSeconded) settlement.horizon = { ...settlement.horizon, second: secondOn(network) }
          await restartUntilSettled(settlement, kills)
          expect(network.applied.filter(isOurs)).toHaveLength(1)
          expect(settlement.store.confirmed).toContain(hashOf(network.applied.find(isOurs)))
        },
      ),
      { numRuns: 1_500 },
    )
  })

  it('applies it once on each chain where the network is reset, however the instances lag', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 20 }),
        fc.array(fault, { maxLength: 20 }),
        async (before, after) => {
          const network = new UnreliableNetwork({ faults: [...before, ...after] })
          const settlement = settlementOn(network, [])
          await restartUntilSettled(settlement, [])
          network.reset()
          // While no answer proves the reset, it counts as applied.
          for (let looks = 0; looks <= after.length + before.length; looks++) {
            await restartUntilSettled(settlement, [])
          }
          expect(network.applied.filter(isOurs)).toHaveLength(1)
          expect(settlement.store.retired).toContain('the network was reset')
        },
      ),
      { numRuns: 200 },
    )
  })

  it('concludes no reset by itself: an envelope that was applied on another chain is not built again', async () => {
    const network = new UnreliableNetwork()
    const settlement = { ...settlementOn(network, []), store: memoryEnvelopes() }
    await restartUntilSettled(settlement, [])
    network.reset()
    network.pass(600)
    await restartUntilSettled(settlement, [])
    expect([network.applied, settlement.store.retired]).toEqual([[], []])
  })

  it('waits while an instance that is behind answers that the transaction and the account are unknown', async () => {
    const network = new UnreliableNetwork()
    const settlement = settlementOn(network, [])
    const behind: ProofSource = {
      account: async () => null,
      transaction: async () => null,
      transactionsOf: async () => [],
      ledger: async () => null,
      head: () => network.head(),
      submit: async envelope => {
        await network.submit(envelope)
        return { outcome: 'unknown', detail: 'HTTP 504' }
      },
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(settle({ ...settlement, horizon: behind })).rejects.toMatchObject({
        code: 'submission-unconfirmed',
        retryable: true,
      })
    }
    expect(settlement.store.all).toHaveLength(1)
    expect(await settle(settlement)).toBe('found')
    expect(network.applied).toHaveLength(1)
  })

  it('counts what one source calls applied as applied only once the second source shows it too', async () => {
    const network = new UnreliableNetwork()
    const settlement = settlementOn(network, [])
    const second = secondOn(network)
    const honest: ProofSource = { ...bound(network), second }
    const closedAt = new Date(1_800_000_000_000)
    const invented = { successful: true, result: '', cursor: String(1n << 32n), closedAt }
    const liar: ProofSource = {
      ...honest,
      transaction: async () => invented,
      submit: async () => ({ outcome: 'applied' }),
    }
    await expect(settle({ ...settlement, horizon: liar })).rejects.toThrow(
      'the second source of the ledger does not show it',
    )
    // Nor by a true transaction at another place, or with another result.
    const told = { ...liar, submit: honest.submit }
    await expect(settle({ ...settlement, horizon: told })).rejects.toThrow('has not confirmed')
    const { all, confirmed, retired } = settlement.store
    expect([all.length, confirmed, retired, network.applied.length]).toEqual([1, [], [], 1])
    expect(await settle({ ...settlement, horizon: honest })).toBe('found')
    expect([confirmed.length, network.applied.length]).toEqual([1, 1])
  })

  it('waits for a second source that does not answer, and for one that is behind', async () => {
    const network = new UnreliableNetwork()
    const settlement = settlementOn(network, [])
    const second = secondOn(network)
    const away = { ...second, transaction: () => Promise.reject(new Error('away')) }
    await expect(settle({ ...settlement, horizon: { ...bound(network), second: away } })).rejects.toThrow(
      'away',
    )
    const behind = {
      ...second,
      transaction: async () => null,
      history: async () => ({ elder: 1, latest: 1 }),
    }
    await expect(settle({ ...settlement, horizon: { ...bound(network), second: behind } })).rejects.toThrow(
      'has not confirmed',
    )
    const { all, confirmed } = settlement.store
    expect([all.length, confirmed, network.applied.length]).toEqual([1, [], 1])
    expect(await settle({ ...settlement, horizon: { ...bound(network), second } })).toBe('found')
  })

  it('counts what the second source has forgotten as applied, where nobody else denies it and it could be', async () => {
    const network = new UnreliableNetwork()
    const settlement = settlementOn(network, [])
    const second = secondOn(network)
    const unheard = {
      ...bound(network),
      submit: async () => ({ outcome: 'unknown' as const, detail: '504' }),
    }
    await settle({ ...settlement, horizon: unheard }).catch(() => undefined)
    const store = memoryEnvelopes()
    const envelope = settlement.store.all[0] ?? expect.unreachable()
    const stored = new Date((envelope.maxTime - 60) * 1_000)
    const made = (closedAt: Date): ProofSource => ({
      ...bound(network),
      second: {
        ...second,
        transaction: async () => null,
        history: async () => ({ elder: 1_000_000, latest: 1_000_100 }),
      },
      transaction: async () => ({ successful: true, result: '', cursor: String(9n << 32n), closedAt }),
      submit: async () => ({ outcome: 'unknown', detail: '504' }),
    })
    const outcome = (given: Partial<Settlement>, storedAt: Date | undefined = stored) => {
      const current = async () => ({ ...envelope, ...(storedAt ? { storedAt } : {}), applied: false })
      return settle({
        ...settlement,
        horizon: made(stored),
        store: { ...store, current },
        ...given,
      })
    }
    const waits = { message: expect.stringContaining('has not confirmed') }
    const dayLater = new Date(stored.getTime() + 86_400_000)
    await expect(outcome({ isMade: async () => false })).rejects.toMatchObject(waits)
    await expect(outcome({ horizon: made(dayLater) })).rejects.toMatchObject(waits)
    // Nothing was applied before it was signed.
    await expect(outcome({}, dayLater)).rejects.toMatchObject(waits)
    expect([store.confirmed, store.retired, store.all]).toEqual([[], [], []])
    expect(await outcome({ isMade: async () => true })).toBe('found')
    expect(await outcome({})).toBe('found')
  })

  it('does not end an envelope by a transaction of its sequence number that none of its keys signed', async () => {
    const network = new UnreliableNetwork()
    const settlement = settlementOn(network, [])
    const [head, account] = [await network.head(), await network.account(source.publicKey)]
    const unheard: ProofSource = {
      account: async () => account,
      transaction: async () => null,
      transactionsOf: async () => [],
      head: async () => head,
      ledger: async () => head,
      submit: async () => ({ outcome: 'unknown', detail: '504' }),
    }
    await expect(settle({ ...settlement, horizon: unheard })).rejects.toThrow('has not confirmed')
    const [ours] = settlement.store.all
    const forged = (signer: string): ProofSource => ({
      ...unheard,
      account: async () => account && { ...account, sequence: ours?.sequence ?? '' },
      transactionsOf: async () => {
        const other = new TransactionBuilder(
          new Account(source.publicKey, String(BigInt(ours?.sequence ?? 0) - 1n)),
          {
            ...{ fee: '100', networkPassphrase: 'Test SDF Network ; September 2015' },
          },
        )
          .addOperation(Operation.bumpSequence({ bumpTo: '0' }))
          .setTimeout(0)
          .build()
        signTransaction(other, signer)
        const { isSignedBy } = readSigned(other.toXdr(), 'Test SDF Network ; September 2015')
        const outcome = { successful: true, innerHash: null, feeCharged: 100n, result: '' }
        const place = { ...outcome, cursor: '1', ledger: 1, closedAt: new Date(0) }
        return [
          {
            ...{
              ...place,
              hash: hashOf(other) ?? '',
              source: source.publicKey,
              sourceSequence: other.sequence,
            },
            ...{ xdr: other.toXdr(), isSignedBy },
          },
        ]
      },
    })
    const stranger = forged(generateKey().secret)
    await expect(settle({ ...settlement, horizon: stranger })).rejects.toThrow('has not confirmed')
    expect([settlement.store.all.length, settlement.store.retired]).toEqual([1, []])
    // One that our key signed has used the number.
    await settle({ ...settlement, horizon: forged(source.secret) }).catch(() => undefined)
    expect(settlement.store.retired).toContain('its sequence number was used')
  })

  it('does not end an envelope by its time bounds on the word of an instance that is behind', async () => {
    const network = new UnreliableNetwork()
    const settlement = settlementOn(network, [])
    const before = await network.account(source.publicKey)
    const behind: ProofSource = {
      ...bound(network),
      account: async () => before,
      transaction: async () => null,
      submit: async envelope => {
        await network.submit(envelope)
        network.pass(600)
        return { outcome: 'unknown', detail: 'HTTP 504' }
      },
    }
    await expect(settle({ ...settlement, horizon: behind })).rejects.toThrow('has not confirmed')
    await expect(settle({ ...settlement, horizon: behind })).rejects.toThrow('has not confirmed')
    expect(settlement.store.retired).toEqual([])
    expect(await settle(settlement)).toBe('found')
    expect(network.applied).toHaveLength(1)
  })

  it('does not trust time bounds where the account answer names no ledger', async () => {
    const network = new UnreliableNetwork({ faults: ['none', 'none', 'outage'] })
    const settlement = settlementOn(network, [])
    const unnamed: ProofSource = {
      ...bound(network),
      account: async id => ({ ...(await network.account(id)), ledger: null }),
      submit: async () => ({ outcome: 'unknown', detail: 'HTTP 504' }),
    }
    await expect(settle({ ...settlement, horizon: unnamed })).rejects.toThrow()
    await expect(settle({ ...settlement, horizon: unnamed })).rejects.toThrow()
    expect(settlement.store.retired).toEqual([])
  })
})

type Store = ReturnType<typeof memoryEnvelopes>

/** `others` counts calls after which another transaction of the same account is included. */
function settlementOn(network: UnreliableNetwork, others: number[]): Settlement & { store: Store } {
  const horizon = bound(network)
  let calls = 0
  const account: ProofSource['account'] = async id => {
    if (others.includes(calls++)) network.include(await network.withoutFaults(() => build(network, 'other')))
    return network.account(id)
  }
  return {
    horizon: { ...horizon, account },
    store: memoryEnvelopes(() => horizon),
    isDone: async () => false,
    build: () => build(horizon, 'ours'),
    pause: async () => undefined,
  }
}

/** Kills the process at the given calls of the store and starts again from what is stored, until it is settled. */
async function restartUntilSettled(
  settlement: Settlement & { store: Store },
  kills: number[],
): Promise<void> {
  let calls = 0
  const deadly = <T extends unknown[], R>(act: (...given: T) => Promise<R>) => {
    return async (...given: T): Promise<R> => {
      const kill = kills.includes(calls++)
      if (kill && calls % 2 === 0) throw new Error('killed before')
      const done = await act(...given)
      if (kill) throw new Error('killed after')
      return done
    }
  }
  const { current, put, confirm, retire } = settlement.store
  const store: EnvelopeStore = {
    ...settlement.store,
    current: deadly(current),
    put: deadly(put),
    confirm: deadly(confirm),
    retire: deadly(retire),
  }
  for (let start = 0; start < 200; start++) {
    const outcome = await settle({ ...settlement, store }).catch(() => null)
    if (outcome !== null) return
  }
  throw new Error('it does not come to an end')
}

async function build(horizon: Pick<ProofSource, 'account' | 'head'>, name: string): Promise<Transaction> {
  const head: LedgerHead = await horizon.head()
  const account = await horizon.account(source.publicKey)
  const maxTime = Math.floor(head.closedAt.getTime() / 1_000) + 120
  const transaction = new TransactionBuilder(new Account(source.publicKey, account?.sequence ?? '0'), {
    fee: '100',
    networkPassphrase: 'Test SDF Network ; September 2015',
    timebounds: { minTime: 0, maxTime },
  })
    .addOperation(Operation.manageData({ name, value: 'x' }))
    .build()
  signTransaction(transaction, source.secret)
  return transaction
}

function bound(network: UnreliableNetwork): ProofSource {
  return {
    account: id => network.account(id),
    transaction: hash => network.transaction(hash),
    transactionsOf: (account, cursor) => network.transactionsOf(account, cursor),
    head: () => network.head(),
    ledger: sequence => network.ledger(sequence),
    submit: envelope => network.submit(envelope),
  }
}

const secondOn = (network: UnreliableNetwork): SecondSource => ({
  transaction: hash => network.transaction(hash),
  head: () => network.head(),
  ledger: sequence => network.ledger(sequence),
  history: () => network.history(),
  signersOf: async () => null,
})

function isOurs({ operations }: Transaction): boolean {
  return operations[0]?.type === 'manageData' && operations[0].name === 'ours'
}

function hashOf(transaction: Transaction | undefined): string | undefined {
  return transaction && Buffer.from(transaction.hash()).toString('hex')
}
