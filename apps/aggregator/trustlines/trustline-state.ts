import type { TrustlineState } from '@windlass/contracts/aggregator/trustlines.ts'
import { amountOf, AmountError, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { baseAccount, isStellarAccount } from '@windlass/stellar/addresses.ts'
import { readAccount, receiveFault, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { LedgerSource } from '@windlass/stellar/network.ts'
import { trustlineLink } from '@windlass/stellar/trustline.ts'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'

/** The customer chooses an offer meanwhile. */
const WITHIN_MS = 4_000

export interface TrustlineDeps {
  config: { ledger?: LedgerSource }
  clock: Clock
  logger: FastifyBaseLogger
  /** Each asks the ledger. */
  trustlineRate: Rate
}

interface Asked {
  account: string
  /** `CODE:ISSUER` */
  asset: string
  amount?: string | number | undefined
}

/** Whether an account can receive an amount of an asset. Throws `validation-failed`, `too-many-requests`. */
export async function trustlineState(
  { config: { ledger }, clock, trustlineRate, logger }: TrustlineDeps,
  { account, asset, amount }: Asked,
  client: string,
): Promise<TrustlineState> {
  const [code = '', issuer = ''] = asset.split(':')
  if (!isStellarAccount(account)) throw invalid('account', 'must be a Stellar account, G… or M…')
  if (!isStellarAccount(issuer)) throw invalid('asset', 'must name an issuer')
  const wanted = readAmount(amount)
  await trustlineRate.demand(client)
  const base = baseAccount(account)
  if (base === issuer) return { fault: null, addTrustline: null }
  const found = ledger && (await findAccount(ledger, base, logger))
  if (!ledger || found === undefined) return { fault: 'not-known', addTrustline: null }
  const fault = receiveFault(found, asset, wanted)
  if (!found || fault !== 'no-trustline') return { fault, addTrustline: null }
  const { link } = trustlineLink(found, { code, issuer }, ledger.passphrase, clock.now())
  return { fault, addTrustline: link }
}

/** Undefined: the ledger does not answer, and the customer is shown nothing. */
async function findAccount(
  ledger: LedgerSource,
  address: string,
  logger: FastifyBaseLogger,
): Promise<HorizonAccount | null | undefined> {
  const read = readAccount(ledger, address, 'routine').catch((error: unknown) => {
    logger.info({ err: error }, 'the ledger did not say what an account can receive')
    return undefined
  })
  return Promise.race([read, sleep(WITHIN_MS, undefined, { ref: false })])
}

function readAmount(amount: Asked['amount']): Amount {
  if (amount === undefined) return amountOf(0n)
  try {
    return parseAmount(String(amount))
  } catch (error) {
    if (error instanceof AmountError) throw invalid('amount', error.message)
    throw error
  }
}
