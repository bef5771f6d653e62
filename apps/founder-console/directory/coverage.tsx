import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { formatCountry } from '@windlass/ui/formats.ts'
import { Panel } from '@windlass/ui/page.tsx'
import { Code } from '@windlass/ui/table.tsx'
import { directory } from './texts.ts'

const texts = directory.coverage
/** More countries than these are in the list alone. */
const SHOWN = 12

/** Which assets are paid over which rail in which country: where available anchors are. */
export function Coverage({ anchors }: { anchors: readonly RegistryEntry[] }) {
  const open = anchors.filter(
    ({ status, current_availability }) => status === 'active' && current_availability,
  )
  const rails = [...new Set(open.flatMap(each => each.rails))].sort()
  const countries = [...new Set(open.flatMap(({ regions }) => regions))]
    .map(code => ({ code, count: open.filter(({ regions }) => regions.includes(code)).length }))
    .sort((one, other) => other.count - one.count || one.code.localeCompare(other.code))
  if (rails.length === 0 || countries.length === 0) return null
  const assetsAt = (country: string, rail: string) => {
    const there = open.filter(each => each.regions.includes(country) && each.rails.includes(rail))
    return [...new Set(there.flatMap(({ assets }) => assets.map(({ code }) => code)))].sort().join(', ')
  }
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
              <tr key={code} className="border-t border-line">
                <th scope="row" className="py-1.5 pr-4 text-left font-medium">
                  {formatCountry(code)}{' '}
                  <span className="text-13 font-normal text-soft">{texts.anchors(count)}</span>
                </th>
                {rails.map(rail => (
                  <td key={rail} className="py-1.5 pr-4">
                    <Code>{assetsAt(code, rail) || '–'}</Code>
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
