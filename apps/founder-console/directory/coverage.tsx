import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { formatCountry, shorten } from '@windlass/ui/formats.ts'
import { Panel } from '@windlass/ui/page.tsx'
import { Code } from '@windlass/ui/table.tsx'
import { feeOf } from './fees.ts'
import { directory } from './texts.ts'

const texts = directory.coverage
/** More countries than these are in the list alone. */
const SHOWN = 12

/** An asset of one issuer that anchors move, with their fees. */
interface Offer {
  key: string
  code: string
  issuer: string
  fees: string[]
  anchors: number
}

/** Which assets, at which fee, are paid over which rail in which country: where available anchors are. */
export function Coverage({ anchors }: { anchors: readonly RegistryEntry[] }) {
  const open = anchors.filter(
    ({ status, current_availability }) => status === 'active' && current_availability,
  )
  const rails = [...new Set(open.flatMap(each => each.rails))].sort()
  const countries = [...new Set(open.flatMap(({ regions }) => regions))]
    .map(code => ({ code, count: open.filter(({ regions }) => regions.includes(code)).length }))
    .sort((one, other) => other.count - one.count || one.code.localeCompare(other.code))
  if (rails.length === 0 || countries.length === 0) return null
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={texts.title}>
        <table className="w-full text-14">
          <caption className="pb-2 text-left font-semibold">{texts.title}</caption>
          <thead>
            <tr className="text-left text-13 text-soft">
              <th scope="col" className="py-1.5 pr-4 font-medium">
                {texts.country}
              </th>
              {rails.map(rail => (
                <th key={rail} scope="col" className="py-1.5 pr-4 font-medium">
                  {rail}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {countries.slice(0, SHOWN).map(({ code, count }) => (
              <tr key={code} className="border-t border-line align-top">
                <th scope="row" className="py-1.5 pr-4 text-left font-medium">
                  {formatCountry(code)}{' '}
                  <span className="text-13 font-normal text-soft">{texts.anchors(count)}</span>
                </th>
                {rails.map(rail => (
                  <td key={rail} className="py-1.5 pr-4">
                    <Offers offers={offersAt(open, code, rail)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {countries.length > SHOWN && (
        <p className="pt-2 text-13 text-soft">{texts.more(countries.length - SHOWN)}</p>
      )}
    </Panel>
  )
}

function Offers({ offers }: { offers: readonly Offer[] }) {
  if (offers.length === 0) return '–'
  return (
    <ul className="space-y-1">
      {offers.map(({ key, code, issuer, fees, anchors }) => (
        <li key={key}>
          <Code>
            {code} <span className="text-soft">{shorten(issuer, 4)}</span>
          </Code>
          <span className="block text-13 text-soft">
            {fees.length === 1 ? fees[0] : texts.anchors(anchors)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A rail of one country moves nothing in another, even where the anchor serves it over another rail. */
function offersAt(open: readonly RegistryEntry[], country: string, rail: string): Offer[] {
  const { countries } = railKind(rail, '')
  if (countries.length > 0 && !countries.includes(country)) return []
  const there = open.filter(each => each.regions.includes(country) && each.rails.includes(rail))
  const offers = new Map<string, Offer>()
  for (const anchor of there)
    for (const asset of anchor.assets) {
      const { code, issuer } = asset
      const key = `${code}:${issuer}`
      const offer = offers.get(key) ?? { key, code, issuer, fees: [], anchors: 0 }
      const fee = feeOf(anchor, asset) ?? directory.unknown
      offers.set(key, { ...offer, fees: [...new Set([...offer.fees, fee])], anchors: offer.anchors + 1 })
    }
  return [...offers.values()].sort((one, other) => one.key.localeCompare(other.key))
}
