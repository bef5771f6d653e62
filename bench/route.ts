import { compare } from './aggregator/compare.ts'
import { report } from './aggregator/report.ts'

/*
 * POST /route at 10,000 registered and 1,000 eligible anchors with an hour of health history, against the same server
 * answering the same JSON always.
 */
const { own, baseline, server } = await compare('/route', '/constant')
console.log(`POST /route: ${server.eligible} eligible of 10,000, answers of ${server.bytes} bytes`)
console.log(
  `  route     ${own.perSecond.toFixed(0)}/s  p50 ${own.p50} ms  p99 ${own.p99} ms  ${own.cpu.toFixed(0)} µs of CPU each`,
)
console.log(
  `  constant  ${baseline.perSecond.toFixed(0)}/s  p50 ${baseline.p50} ms  p99 ${baseline.p99} ms  ${baseline.cpu.toFixed(0)} µs of CPU each`,
)
report('route: requests/s of the constant answer', own.perSecond / baseline.perSecond, { atLeast: 0.8 })
report('route: p99 of the constant answer', own.p99 / baseline.p99, { atMost: 2 })
