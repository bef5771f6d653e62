import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { phaseOf, Schedule, SHARDS, shardOf, walkPauseMs } from './schedule.ts'

const PERIOD = 15_000

describe('the polling schedule', () => {
  it('makes each anchor due exactly once in every period, however the ticks fall', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 200 }), ticks => {
        const ids = Array.from({ length: 40 }, (_, n) => `anchor${n}`)
        const schedule = new Schedule(PERIOD)
        schedule.set(ids)
        const start = 1_700_000_000_123
        schedule.due(start)
        let now = start
        const found: { id: string; at: number }[] = []
        for (const tick of ticks) {
          now += tick
          found.push(...schedule.due(now))
        }
        const right = ids.flatMap(id => {
          const moments: string[] = []
          const first = start - (start % PERIOD) + phaseOf(id, PERIOD)
          for (let at = first; at <= now; at += PERIOD) if (at > start) moments.push(`${id}@${at}`)
          return moments
        })
        expect(found.map(({ id, at }) => `${id}@${at}`).sort()).toEqual(right.sort())
      }),
    )
  })

  it('makes each due once after a pause of many periods', () => {
    const schedule = new Schedule(PERIOD)
    schedule.set(['a', 'b', 'c'])
    schedule.due(1_000_000)
    const found = schedule.due(1_000_000 + 10 * PERIOD)
    expect(found.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c'])
  })

  it('makes each due within a period of a clock that was set back by two hours', () => {
    const schedule = new Schedule(PERIOD)
    const ids = Array.from({ length: 40 }, (_, n) => `anchor${n}`)
    schedule.set(ids)
    const before = 1_700_000_000_123
    schedule.due(before)
    const after = before - 7_200_000
    expect(schedule.due(after)).toEqual([])
    const found = schedule.due(after + PERIOD)
    expect(found.map(({ id }) => id).sort()).toEqual(ids.toSorted())
  })

  it('spreads anchors over the period and the shards', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `anchor${n}`)
    const perSecond = Map.groupBy(ids, id => Math.floor(phaseOf(id, PERIOD) / 1000))
    const perShard = Map.groupBy(ids, shardOf)
    expect(perSecond.size).toBe(15)
    expect(Math.max(...[...perSecond.values()].map(list => list.length))).toBeLessThan(800)
    expect(perShard.size).toBe(SHARDS)
    expect(Math.max(...[...perShard.values()].map(list => list.length))).toBeLessThan(230)
  })
})

it('asks an external anchor that keeps failing ever less often, and one that failed once as often as before', () => {
  const minutes = [0, 1, 2, 3, 6, 7, 10_000].map(failures => walkPauseMs(failures, PERIOD) / 60_000)
  expect(minutes).toEqual([1, 1, 2, 4, 32, 32, 32])
})
