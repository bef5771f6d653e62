import type { programSources } from './connections.ts'

type Source = ReturnType<typeof programSources>[number]

/** Requests that may be sent on, or whose answer may be of any size, and why. */
const UNBOUNDED: Readonly<Record<string, string>> = {
  'apps/ledger-gateway/event-stream.ts': 'reads a stream for as long as it comes, each event up to a size',
  'apps/ledger-gateway/answers.ts':
    'asks the Horizon that the operator names, which may send on; readBounded',
  'apps/ledger-gateway/app.ts': 'asks the Horizon that the operator names, which may send on; readBounded',
  'apps/windlass/demo/mailbox.ts': 'is the demo, on a machine of a developer',
  'apps/windlass/demo/money.ts': 'is the demo, on a machine of a developer',
  'apps/windlass/demo/wallet.ts': 'is the demo, on a machine of a developer',
  'apps/windlass/commands/test-testnet.ts': 'asks the Horizon that the operator names, and reads nothing',
}

/** Programs whose requests a browser sends, to where its page came from. */
const BROWSERS = /^apps\/(?:[a-z]+-console|customer-portal)\//

/**
 * Violations, one line each: a request of a program that follows redirects, which take its credentials along, or reads an answer
 * of any size; and a listed file without one. `createClient`, `fetchPart` and `Outbound` do neither.
 */
export function unboundedFetches(sources: readonly Source[], known = UNBOUNDED): string[] {
  const found = new Set<string>()
  const broken: string[] = []
  const report = (path: string, what: string) => {
    found.add(path)
    if (!(path in known)) broken.push(`${what}: ${path}`)
  }
  for (const { path, text } of sources) {
    if (!path.startsWith('apps/') || BROWSERS.test(path)) continue
    const calls = [...text.matchAll(/(?<![.\w])fetch\((?!\))/g)]
    for (const { index } of calls)
      if (!/redirect: '(?:error|manual)'/.test(text.slice(index, endOfCall(text, index))))
        report(path, 'follows-redirects')
    if (calls.length > 0 && /\.(?:text|json|arrayBuffer|bytes|blob)\(\)/.test(text))
      report(path, 'reads-any-size')
  }
  const stale = Object.keys(known).filter(path => !found.has(path))
  return [...broken, ...stale.map(path => `listed-without-need: ${path}`)]
}

function endOfCall(text: string, index: number): number {
  let depth = 0
  for (let at = text.indexOf('(', index); at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}
