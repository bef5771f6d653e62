import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TooManyWaiting } from '../postgres/turns.ts'
import { loop, type Loop, type LoopOptions } from './loop.ts'

const warnings: unknown[] = []
const loops: Loop[] = []
const rounds: unknown[] = []
const logger = {
  warn: (fields: unknown) => void warnings.push(fields),
  debug: (fields: unknown) => void rounds.push(fields),
}
const start = (options: Partial<LoopOptions> & Pick<LoopOptions, 'act'>): Loop => {
  const started = loop({ name: 'test', everyMs: null, logger, ...options })
  loops.push(started)
  return started
}
afterEach(async () => {
  await Promise.all(loops.splice(0).map(each => each.stop()))
  warnings.length = 0
  rounds.length = 0
})

describe('a loop', () => {
  it('logs each round where the level is debug', async () => {
    await start({ act: async () => undefined }).idle()
    expect(rounds).toEqual([{ loop: 'test', ms: expect.any(Number) }])
  })

  it('runs a round at once, at intervals and when it is woken', async () => {
    let rounds = 0
    const act = async () => void rounds++
    const woken = start({ act })
    await woken.idle()
    expect(rounds).toBe(1)
    woken.wake()
    await woken.idle()
    expect(rounds).toBe(2)
    let ticks = 0
    start({ act: async () => void ticks++, everyMs: 5, startNow: false })
    expect(ticks).toBe(0)
    await expect.poll(() => ticks).toBeGreaterThan(2)
  })

  it('never runs two rounds at a time and loses no wake', async () => {
    let [running, most, rounds] = [0, 0, 0]
    const act = async () => {
      most = Math.max(most, ++running)
      await sleep(5)
      rounds++
      running--
    }
    const busy = start({ act, everyMs: 1 })
    busy.wake()
    busy.wake()
    await expect.poll(() => rounds).toBeGreaterThan(3)
    expect(most).toBe(1)
  })

  it('waits longer after each failure and then continues by itself', async () => {
    const times: number[] = []
    const act = async () => {
      times.push(performance.now())
      if (times.length < 4) throw new Error('not yet')
    }
    const failing = start({ act, everyMs: 20 })
    const nagging = setInterval(() => failing.wake(), 1)
    await expect.poll(() => times.length).toBeGreaterThan(3)
    clearInterval(nagging)
    const gaps = times.slice(1, 4).map((time, index) => time - (times[index] ?? 0))
    expect(gaps[0]).toBeGreaterThanOrEqual(19)
    expect(gaps[1]).toBeGreaterThanOrEqual(39)
    expect(gaps[2]).toBeGreaterThanOrEqual(79)
    expect(warnings).toHaveLength(3)
  })

  it.each([
    ['is back', Object.assign(new Error('no answer'), { code: 'ECONNREFUSED' })],
    ['has less to do', new TooManyWaiting()],
  ])('looks every five seconds whether the database %s', async (_what, error) => {
    vi.useFakeTimers()
    let rounds = 0
    const act = async () => {
      rounds++
      throw error
    }
    start({ act, everyMs: 60_000 })
    await vi.advanceTimersByTimeAsync(22_000)
    expect(rounds).toBe(5)
    vi.useRealTimers()
  })

  it('stops after the round that is running, or without it where that takes too long', async () => {
    let ended = false
    const patient = start({ act: () => sleep(30).then(() => (ended = true)) })
    await patient.stop()
    expect(ended).toBe(true)
    let signal: AbortSignal | undefined
    const endless = start({
      act: stopping => {
        signal = stopping
        return new Promise(() => undefined)
      },
      stopWithinMs: 10,
    })
    await endless.stop()
    expect(signal?.aborted).toBe(true)
  })
})
