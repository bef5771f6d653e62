import { RESERVES_TYPE, type Reserves, type ReservesStatement } from '@windlass/contracts/anchor/reserves.ts'
import type { ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import type { Deps } from '../../deps.ts'
import { type Balance, listBalances, unitOf } from '../journal/journal.ts'
import { getTreasurySettings } from '../treasury/settings.ts'
import { readSafeguarding } from './safeguarding.ts'
import { readHoldings } from '../treasury/treasury.ts'

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
  const signature = (await deps.signStatement?.(message)) ?? null
  const { signing: signingKey } = deps.config.anchor.accounts
  return { reserves, message, signingKey, signature: signature && signature.toString('base64') }
}

async function readReserves(deps: Deps): Promise<ReservesStatement> {
  const { routineHorizon: horizon, config, rails } = deps
  const { plan, accounts, network } = config.anchor
  const head = await horizon.head()
  const holdings = await readHoldings({ config, horizon })
  const balances = await listBalances(deps.database.db)
  const reserves: Pick<ReservesStatement, 'asset' | 'units' | 'coldAccount'>[] = []
  for (const { asset, balance } of holdings) {
    const { coldAccount } = await getTreasurySettings(deps, asset.key)
    const { code, issuer } = asset
    reserves.push({ asset: { code, issuer }, units: unitsOf(asset, balance, balances), coldAccount })
  }
  const [first, ...further] = reserves
  if (!first) throw new Error('an anchor serves an asset')
  const { asset, units, coldAccount } = first
  const { currencies, total, isShort } = await readSafeguarding(deps)
  const assetUnits = new Set(holdings.map(each => unitOf(each.asset.key)))
  return {
    ...{ type: RESERVES_TYPE, homeDomain: plan.homeDomain, networkPassphrase: network.passphrase },
    ...{ at: deps.clock.now().toISOString(), ledger: head.sequence },
    ...{ asset, units },
    ...(further.length > 0 ? { further } : {}),
    ...{ distributionAccount: accounts.distribution, coldAccount },
    money: [...rails.values()].map(({ name, currency, simulation }) => ({
      ...{ rail: name, currency, held: text(sumOf(balances, `rail:${name}`, currency)) },
      simulated: simulation !== undefined,
    })),
    owedMoney: balances
      .filter(({ account, unit }) => account === 'suspense' && !assetUnits.has(unit))
      .map(({ unit, amount }) => ({ currency: unit, amount: text(-parseAmount(amount)) })),
    safeguarding: { currencies, total, isShort },
  }
}

const text = (amount: bigint) => formatAmount(amountOf(amount))

function unitsOf(
  { key, isOwn }: ServedAsset,
  held: Amount,
  balances: readonly Balance[],
): ReservesStatement['units'] {
  const unit = unitOf(key)
  const issued = amountOf(-sumOf(balances, 'issued', unit))
  const cold = sumOf(balances, 'cold', unit)
  const owed = -sumOf(balances, 'customers', unit) - sumOf(balances, 'suspense', unit)
  return {
    ...{ issued: text(issued), held: text(held), cold: text(cold) },
    // Units of an existing asset are no claim on this anchor.
    ...{ circulating: text(isOwn ? issued - held - cold : 0n), owed: text(owed) },
  }
}

const sumOf = (balances: readonly Balance[], account: string, unit: string): Amount =>
  parseAmount(balances.find(each => each.account === account && each.unit === unit)?.amount ?? '0')
