import { RESERVES_TYPE, type Reserves, type ReservesStatement } from '@windlass/contracts/reserves.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { unavailable } from '@windlass/service/problem.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import type { Deps } from '../deps.ts'
import { type Balance, listBalances } from '../journal/journal.ts'
import { getTreasurySettings } from '../treasury/settings.ts'
import { assetBalance } from '../treasury/treasury.ts'

const FRESH_MS = 60_000

/** The signed reserves, made at most once a minute however often they are read. */
export function createReservesReader(deps: Deps): () => Promise<Reserves> {
  let made: { at: number; reserves: Promise<Reserves> } | null = null
  return () => {
    const now = deps.clock.now().getTime()
    if (made && now - made.at < FRESH_MS) return made.reserves
    const current = { at: now, reserves: signedReserves(deps) }
    made = current
    current.reserves.catch(() => {
      if (made === current) made = null
    })
    return current.reserves
  }
}

/** Throws `dependency-unavailable` while the ledger or the signer does not answer. */
async function signedReserves(deps: Deps): Promise<Reserves> {
  const reserves = await readReserves(deps).catch((error: unknown) => {
    throw error instanceof LedgerError ? unavailable('The ledger', error) : error
  })
  const message = JSON.stringify(reserves)
  const signature = (await deps.signReserves?.(message)) ?? null
  const { signing: signingKey } = deps.config.anchor.accounts
  return { reserves, message, signingKey, signature: signature && signature.toString('base64') }
}

async function readReserves(deps: Deps): Promise<ReservesStatement> {
  const { routineHorizon: horizon, config, rails } = deps
  const { plan, accounts, network } = config.anchor
  const head = await horizon.head()
  const held = await assetBalance({ config, horizon })
  const balances = await listBalances(deps.database.db)
  const { coldAccount } = await getTreasurySettings(deps)
  const issued = amountOf(-sumOf(balances, 'issued', 'asset'))
  const cold = sumOf(balances, 'cold', 'asset')
  const owed = -sumOf(balances, 'customers', 'asset') - sumOf(balances, 'suspense', 'asset')
  const text = (amount: bigint) => formatAmount(amountOf(amount))
  return {
    ...{ type: RESERVES_TYPE, homeDomain: plan.homeDomain, networkPassphrase: network.passphrase },
    ...{ at: deps.clock.now().toISOString(), ledger: head.sequence },
    asset: { code: plan.asset.code, issuer: accounts.issuer },
    units: {
      ...{ issued: text(issued), held: text(held), cold: text(cold) },
      // Of an existing asset no unit is a claim on this anchor.
      ...{ circulating: text(plan.asset.issuer ? 0n : issued - held - cold), owed: text(owed) },
    },
    ...{ distributionAccount: accounts.distribution, coldAccount },
    money: [...rails.values()].map(({ name, currency, simulation }) => ({
      ...{ rail: name, currency, held: text(sumOf(balances, `rail:${name}`, currency)) },
      simulated: simulation !== undefined,
    })),
    owedMoney: balances
      .filter(({ account, unit }) => account === 'suspense' && unit !== 'asset')
      .map(({ unit, amount }) => ({ currency: unit, amount: text(-parseAmount(amount)) })),
  }
}

const sumOf = (balances: readonly Balance[], account: string, unit: string): Amount =>
  parseAmount(balances.find(each => each.account === account && each.unit === unit)?.amount ?? '0')
