import type { CheckResult } from '@windlass/contracts/platform/wallet-checks.ts'
import { createOutbound } from '@windlass/service/outbound/outbound.ts'
import { parseArgs } from 'node:util'
import { checkAnchor } from './check-anchor.ts'
import { discoverAnchor, type DiscoveredAnchor } from './discover.ts'
import { listing } from './listing.ts'
import { CheckFailed } from './visit.ts'

const HELP = `wallet-checks <https://anchor.example> [options]

Checks an anchor from outside as wallets use it (SEP-1, 6, 10, 12, 24, 38). It reads, logs in once with a new key,
and leaves no customer, quote or transaction behind.

  --asset CODE      a currency of its discovery file, CODE or CODE:ISSUER; by default the first
  --amount 10       an amount within the anchor's limits
  --listing         also what directories of anchors ask for
  --local           allows hosts of this machine and of private networks
  --json            prints the results as JSON
  --help

Ends with 0 where everything passed, 1 where something failed, 2 where nothing could be checked.
`

interface Output {
  out(text: string): void
  error(text: string): void
}

/** The command. Returns its exit code. */
export async function run(
  args: readonly string[],
  { out, error }: Output = {
    out: text => void process.stdout.write(text),
    error: text => void process.stderr.write(text),
  },
): Promise<number> {
  const read = readArguments(args)
  if (typeof read === 'string') {
    error(`${read}\n\n${HELP}`)
    return 2
  }
  const { values, address } = read
  if (values.help || address === undefined) {
    ;(values.help ? out : error)(HELP)
    return values.help ? 0 : 2
  }
  const outbound = createOutbound({ allowPrivate: values.local ?? false })
  try {
    const found = await discoverAnchor(address, outbound, values.asset)
    const anchor = { ...found, amount: values.amount ?? found.amount }
    const tools = { outbound, now: () => new Date() }
    const results = await checkAnchor(anchor, tools, values.listing ? listing : [])
    out(values.json ? `${JSON.stringify(results, null, 2)}\n` : describe(anchor, results))
    return results.every(({ passed }) => passed) ? 0 : 1
  } catch (failure) {
    if (!(failure instanceof CheckFailed)) throw failure
    error(`${failure.message}\n`)
    return 2
  } finally {
    await outbound.close()
  }
}

function readArguments(args: readonly string[]) {
  const flag = { type: 'boolean' } as const
  const text = { type: 'string' } as const
  const options = { asset: text, amount: text, listing: flag, local: flag, json: flag, help: flag }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length > 1) return 'Name one anchor.'
    const [address] = positionals
    if (address !== undefined && !URL.canParse(/^https?:/.test(address) ? address : `https://${address}`))
      return `${address} is no address.`
    return { values, address }
  } catch (error) {
    return (error as Error).message
  }
}

function describe(anchor: DiscoveredAnchor, results: readonly CheckResult[]): string {
  const lines = results.map(({ passed, name, requirement, detail, impact }) =>
    passed ? `ok    ${name}: ${requirement}` : `FAIL  ${name}: ${detail} ${impact}`,
  )
  const failed = results.filter(({ passed }) => !passed).length
  const { homeDomain, asset } = anchor
  const sum =
    failed === 0 ? `${results.length} passed` : `${results.length - failed} passed, ${failed} failed`
  return `${homeDomain}, ${asset.code}\n${lines.join('\n')}\n${sum}\n`
}
