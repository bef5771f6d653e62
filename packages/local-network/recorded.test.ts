import { afterAll, expect, it } from 'vitest'
import { startLocalNetwork, type LocalNetwork } from './local-network.ts'
import { compareRecordings, type Difference } from './testing/recorded/compare.ts'
import { play } from './testing/recorded/play.ts'
import { horizon28 } from './testing/recorded/recording.ts'

let network: LocalNetwork | undefined
afterAll(() => network?.stop())

/** Why an answer differs from that of Horizon 28, by a pattern of where and what. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/\.(source_account|funder): /, 'friendbot is another account'],
  [/^\/claimable_balances.*(paging_token|href): /, 'by the number of a ledger'],
  [
    /(effects|claimable_balances)\.body\._embedded\.records\[\]\.(asset|amount): .*(338\.4382191|837\.7101321|EUR:|native)/,
    'two balances are in the order of their ids, which are hashes',
  ],
  [/^\/trade_aggregations\..*records/, 'trades were made in other minutes'],
  [
    /^\/\.body\.(_links\.friendbot|horizon_version|core_version|network_passphrase)/,
    'another program and network',
  ],
  [/^\/health\.body\.(status|service|version|checks)/, 'the stack that runs it reads its health'],
  [/^\/ledgers\.body\._embedded\.records\[\]\.(\w*_count|fee_pool)/, 'another ledger was the last'],
]

const reasonOf = ({ path, recorded, here }: Difference): string | undefined =>
  REASONS.find(([pattern]) => pattern.test(`${path}: ${recorded} / ${here}`))?.[1]

it('answers a history of 101 transactions as Horizon 28 does, but for what has a reason', async () => {
  network = await startLocalNetwork({ closeEvery: 'at-once', seed: 'recorded' })
  const recorded = horizon28()
  const { asked, equal, differences } = compareRecordings(recorded, await play(network, recorded))
  const [withReason, without] = [true, false].map(wanted =>
    differences.filter(each => (reasonOf(each) !== undefined) === wanted),
  )
  const line = (each: Difference) =>
    `  ${each.count} x ${each.path}: ${each.recorded} / ${each.here} (${each.example}): ${reasonOf(each) ?? 'differs'}`
  console.info(
    [
      `${equal} of ${asked} answers equal those of Horizon 28.0.0 over stellar-core 28`,
      `${withReason?.length} kinds of differences have a reason:`,
      ...(withReason ?? []).map(line),
      `${without?.length} have none:`,
      ...(without ?? []).map(line),
    ].join('\n'),
  )
  expect(without).toEqual([])
}, 120_000)
