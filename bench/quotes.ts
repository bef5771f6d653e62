import { compare } from './aggregator/compare.ts'
import { report } from './stand/report.ts'
import { quotedCorridor } from './aggregator/seed.ts'

/* POST /quotes, stored, at 10,000 registered anchors, against a bare handler with one INSERT through the same pool. */
const { own, baseline } = await compare('/quotes', '/bare-insert', () => ({
  amount: (10 ** (Math.random() * 3)).toFixed(2),
  ...quotedCorridor,
}))
console.log('POST /quotes: 1,000 eligible of 10,000, each quote stored')
console.log(
  `  quotes       ${own.perSecond.toFixed(0)}/s  p50 ${own.p50.toFixed(1)} ms  p99 ${own.p99.toFixed(1)} ms  ${own.cpu.toFixed(0)} µs of CPU each`,
)
console.log(
  `  bare INSERT  ${baseline.perSecond.toFixed(0)}/s  p50 ${baseline.p50.toFixed(1)} ms  p99 ${baseline.p99.toFixed(1)} ms  ${baseline.cpu.toFixed(0)} µs of CPU each`,
)
report('quotes: requests/s of a bare INSERT', own.perSecond / baseline.perSecond, { atLeast: 0.8 })
