import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { readBounded } from '@windlass/stellar/bounded-body.ts'
import { requireNetwork } from '@windlass/stellar/horizon-client.ts'
import type { LedgerSource } from '@windlass/stellar/network.ts'

/** An exchange on the ledger. Assets are `CODE:ISSUER`, of XLM `XLM:native`; those of the path are as Horizon names them. */
export interface Conversion {
  from: string
  sent: Amount
  to: string
  received: Amount
  path: string[]
}

/** The best path to each of the assets, as the ledger's offers and pools are now. Throws where the ledger does not answer. */
export type FindConversions = (from: string, amount: Amount, to: readonly string[]) => Promise<Conversion[]>

const ANSWER_WITHIN_MS = 4_000
const MOST_BYTES = 512 * 1024

/**
 * Asks Horizon (`/paths/strict-send`) with the least priority: anyone may ask for a plan, and its requests are limited for the
 * whole machine.
 */
export function conversionsFrom(ledger: LedgerSource): FindConversions {
  return async (from, amount, to) => {
    const url = new URL(`${ledger.url}/paths/strict-send`)
    for (const [name, value] of Object.entries(assetFields(from)))
      url.searchParams.set(`source_${name}`, value)
    url.searchParams.set('source_amount', formatAmount(amount))
    url.searchParams.set('destination_assets', to.map(ledgerName).join(','))
    const answer = await fetch(url, {
      headers: { accept: 'application/json', priority: 'u=7' },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      redirect: 'error',
    })
    const body = await readBounded(answer.body, MOST_BYTES)
    await requireNetwork(ledger, 'routine')
    if (!answer.ok) throw new Error(`Horizon answered ${answer.status}`)
    const { _embedded } = JSON.parse(body.toString()) as { _embedded: { records: PathRecord[] } }
    return bestOfEach(_embedded.records.map(record => conversionOf(from, amount, record)))
  }
}

interface HorizonAsset {
  asset_type: string
  asset_code?: string
  asset_issuer?: string
}
interface PathRecord {
  destination_asset_type: string
  destination_asset_code?: string
  destination_asset_issuer?: string
  destination_amount: string
  path: HorizonAsset[]
}

const conversionOf = (from: string, sent: Amount, record: PathRecord): Conversion => ({
  from,
  sent,
  to: registered(
    nameOf({
      asset_type: record.destination_asset_type,
      asset_code: record.destination_asset_code,
      asset_issuer: record.destination_asset_issuer,
    }),
  ),
  received: parseAmount(record.destination_amount),
  path: record.path.map(nameOf),
})

const nameOf = ({ asset_type, asset_code, asset_issuer }: HorizonAsset): string =>
  asset_type === 'native' ? 'native' : `${asset_code}:${asset_issuer}`

/** As the registry names it. */
const XLM = 'XLM:native'
const registered = (name: string): string => (name === 'native' ? XLM : name)
/** As the ledger names an asset of the registry. */
export const ledgerName = (asset: string): string => (asset === XLM ? 'native' : asset)

function assetFields(asset: string): Record<string, string> {
  if (asset === XLM) return { asset_type: 'native' }
  const [code = '', issuer = ''] = asset.split(':')
  const type = code.length > 4 ? 'credit_alphanum12' : 'credit_alphanum4'
  return { asset_type: type, asset_code: code, asset_issuer: issuer }
}

function bestOfEach(found: readonly Conversion[]): Conversion[] {
  const best = new Map<string, Conversion>()
  for (const conversion of found) {
    const known = best.get(conversion.to)
    if (!known || conversion.received > known.received) best.set(conversion.to, conversion)
  }
  return [...best.values()]
}
