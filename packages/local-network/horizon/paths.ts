import type { FastifyInstance, FastifyRequest } from 'fastify'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, type AssetName } from '../ledger/assets.ts'
import { int64Max } from '../ledger/entries.ts'
import { LedgerState } from '../ledger/state.ts'
import { convert } from '../operations/crossing.ts'
import { available } from '../operations/holdings.ts'
import { text } from '../store/columns.ts'
import type { Database } from '../store/database.ts'
import { EntryRows } from '../store/entry-rows.ts'
import { serveResource } from './collections.ts'
import type { Instance } from './instance.ts'
import { badRequest, HorizonProblem } from './problems.ts'
import { addressParameter, isAsset, queryValue, requiredAmount, requiredAsset } from './requests.ts'

/** Assets between the first and the last of a path: five, as in an operation. */
const hopLimit = 6

/** The best way to an asset so far, and what the amount has become there. */
interface Reached {
  readonly assets: readonly AssetName[]
  readonly amount: bigint
}

interface Found {
  /** From the source to the destination, both included. */
  readonly assets: readonly AssetName[]
  readonly sent: bigint
  readonly received: bigint
}

/** Paths through offers and pools, each tried with the ledger's own rules. */
export function pathsRoutes(app: FastifyInstance, instance: Instance): void {
  serveResource(app, instance, '/paths/strict-send', request => {
    const source = requiredAsset(request, 'source_')
    const amount = requiredAmount(request, 'source_amount')
    const { assets, account } = oneSide(request, 'destination_assets', 'destination_account', 'destination')
    const wanted = assets ?? assetsOf(instance.database, account)
    const found = new Search(instance.database, 'strict-send').from(source, amount, new Set(wanted))
    return pathsBody(found.sort(byDestination))
  })
  for (const path of ['/paths/strict-receive', '/paths'])
    serveResource(app, instance, path, request => {
      const destination = requiredAsset(request, 'destination_')
      const amount = requiredAmount(request, 'destination_amount')
      const { assets, account } = oneSide(request, 'source_assets', 'source_account', 'source')
      const wanted = assets ?? assetsOf(instance.database, account)
      const search = new Search(instance.database, 'strict-receive')
      const found = search.from(destination, amount, new Set(wanted))
      const affordable = found.filter(
        ({ assets: [first = ''], sent }) => account === '' || search.holds(account, first) >= sent,
      )
      return pathsBody(affordable.sort(bySource))
    })
}

/** Finds the best path from the asset whose amount is fixed to each other one, a hop longer in every round. */
class Search {
  readonly #database: Database
  readonly #state: LedgerState
  readonly #sends: boolean

  constructor(database: Database, kind: 'strict-send' | 'strict-receive') {
    this.#database = database
    this.#state = new LedgerState(new EntryRows(database), 0)
    this.#sends = kind === 'strict-send'
  }

  from(asset: AssetName, fixed: bigint, wanted: ReadonlySet<AssetName>): Found[] {
    const best = new Map<AssetName, Reached>([[asset, { assets: [asset], amount: fixed }]])
    let round = [asset]
    for (let hops = 0; hops < hopLimit && round.length > 0; hops++) {
      const improved = new Map<AssetName, Reached>()
      for (const each of round) this.#advance(each, best, improved)
      for (const [reached, path] of improved) best.set(reached, path)
      round = [...improved.keys()]
    }
    return [...best]
      .filter(([reached]) => wanted.has(reached))
      .map(([, { assets, amount }]) =>
        this.#sends
          ? { assets, sent: fixed, received: amount }
          : { assets: assets.toReversed(), sent: amount, received: fixed },
      )
  }

  /** What an account may spend of an asset. */
  holds(account: string, asset: AssetName): bigint {
    return available(this.#state, account, asset)
  }

  #advance(here: AssetName, best: ReadonlyMap<AssetName, Reached>, improved: Map<AssetName, Reached>): void {
    const path = best.get(here)
    if (!path) return
    for (const next of this.#neighbours(here)) {
      if (path.assets.includes(next)) continue
      const amount = this.#exchanged(here, next, path.amount)
      const known = (improved.get(next) ?? best.get(next))?.amount
      if (amount === undefined || (known !== undefined && !this.#isBetter(amount, known))) continue
      improved.set(next, { assets: [...path.assets, next], amount })
    }
  }

  #isBetter(amount: bigint, than: bigint): boolean {
    return this.#sends ? amount > than : amount < than
  }

  /** What an amount comes to on the other side of a hop; undefined where the hop cannot take all of it. */
  #exchanged(here: AssetName, next: AssetName, amount: bigint): bigint | undefined {
    const { status, sent, received } = convert(this.#state.layer(), {
      send: this.#sends ? here : next,
      maxSend: this.#sends ? amount : int64Max,
      receive: this.#sends ? next : here,
      maxReceive: this.#sends ? int64Max : amount,
      rounding: this.#sends ? 'strict-send' : 'strict-receive',
      crossed: 0,
      // Horizon does not look at what is frozen.
      frozen: new Set(),
      refuse: () => undefined,
    })
    const [fixed, result] = this.#sends ? [sent, received] : [received, sent]
    return status === 'ok' && fixed === amount && result > 0n ? result : undefined
  }

  /** Assets that offers or pools exchange this one for. */
  #neighbours(asset: AssetName): AssetName[] {
    const [given, taken] = this.#sends ? ['buying', 'selling'] : ['selling', 'buying']
    return this.#database
      .rows(
        `SELECT DISTINCT ${taken} AS asset FROM offers WHERE ${given} = ?1
         UNION SELECT asset_b FROM liquidity_pools WHERE asset_a = ?1
         UNION SELECT asset_a FROM liquidity_pools WHERE asset_b = ?1`,
        asset,
      )
      .map(row => text(row['asset']))
  }
}

/** Lumens and what an account has a line for. */
function assetsOf(database: Database, account: string): AssetName[] {
  const lines = database.rows(
    "SELECT asset FROM trustlines WHERE account = ? AND instr(asset, ':') > 0",
    account,
  )
  return ['native', ...lines.map(row => text(row['asset']))]
}

const typed = (asset: AssetName = '') => Object.values(assetFields(asset)).join('/')
const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

/** Horizon lists one path for each pair, by the asset that was not fixed. */
const bySource = (a: Found, b: Found) => compare(typed(a.assets[0]), typed(b.assets[0]))
const byDestination = (a: Found, b: Found) => compare(typed(a.assets.at(-1)), typed(b.assets.at(-1)))

function pathsBody(found: readonly Found[]) {
  const records = found.map(({ assets, sent, received }) => ({
    ...assetFields(assets[0] ?? '', 'source_asset'),
    source_amount: amountText(sent),
    ...assetFields(assets.at(-1) ?? '', 'destination_asset'),
    destination_amount: amountText(received),
    path: assets.slice(1, -1).map(asset => assetFields(asset)),
  }))
  return { _embedded: { records } }
}

/** A list of assets, or the account that they are to be those of. @throws HorizonProblem for neither or both */
function oneSide(
  request: FastifyRequest,
  assetsField: string,
  accountField: string,
  side: string,
): { assets: readonly AssetName[] | undefined; account: string } {
  const given = queryValue(request, assetsField)
  const account = addressParameter(request, accountField)
  if ((given === '') === (account === ''))
    throw new HorizonProblem(
      'bad_request',
      'Bad Request',
      400,
      `The request requires either a list of ${side} assets or a ${side} account. Both fields cannot be present.`,
    )
  if (given !== '' && !given.split(',').every(isAsset))
    throw badRequest(assetsField, 'must be assets in canonical form, comma separated')
  return { assets: given === '' ? undefined : given.split(','), account }
}
