import { compare } from './aggregator/compare.ts'
import { report } from './stand/report.ts'
import { corridors } from './aggregator/seed.ts'

/*
 * POST /route at 10,000 registered and about 1,000 eligible anchors with an hour of health history, all of them polled
 * meanwhile, for random amounts and corridors, against the same server answering the same JSON always. Both requests
 * are read, checked, logged, measured and answered by the same code, serializer and headers included; the constant one
 * decides nothing and stores nothing.
 */
const randomRoute = () => ({
  // From 1 to 10,000, as many small ones as large ones.
  amount: (10 ** (Math.random() * 4)).toFixed(2),
  ...corridors[Math.floor(Math.random() * corridors.length)],
})
const { own, baseline, server, megabytes } = await compare('/route', '/constant', randomRoute)
console.log(`POST /route: ${server.eligible} eligible of 10,000, answers of ${server.bytes} bytes`)
for (const [name, figures] of Object.entries({ route: own, constant: baseline })) {
  const { perSecond, p50, p99, cpu, lag } = figures
  console.log(
    `  ${name.padEnd(9)} ${perSecond.toFixed(0)}/s  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ${cpu.toFixed(0)} µs of CPU each (all threads ${figures.process.toFixed(0)}), event loop lag p99 ${lag.p99.toFixed(1)} ms (own computation ${lag.own.toFixed(1)} ms), max ${lag.max.toFixed(1)} ms`,
  )
}
console.log(`  CPU       ${(own.cpu / baseline.cpu).toFixed(2)} × that of the constant answer, each`)
console.log(`  memory    ${megabytes.toFixed(0)} MB resident`)
report('route: requests/s of the constant answer', own.perSecond / baseline.perSecond, { atLeast: 0.8 })
report('route: p99 of the constant answer', own.p99 / baseline.p99, { atMost: 2 })
report('route: event loop lag p99 of 20 ms', own.lag.p99 / 20, { atMost: 1 })
report('route: resident memory of 512 MB', megabytes / 512, { atMost: 1 })
