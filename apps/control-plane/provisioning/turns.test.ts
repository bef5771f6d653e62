import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

const always = new AbortController().signal
/** Who has had their turn, in that order. */
function listing() {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const turns = createTurns(2)
  const ask = (name: string, signal = always) =>
    turns.take(signal).then(end => {
      began.push(name)
      ends.set(name, end)
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { began, ask, end }
}

describe('turns', () => {
  it('are for two at a time, and for who asked first', async () => {
    const { began, ask, end } = listing()
    const all = ['a', 'b', 'c', 'd'].map(name => ask(name))
    await Promise.all(all.slice(0, 2))
    expect(began).toEqual(['a', 'b'])
    await end('b')
    expect(began).toEqual(['a', 'b', 'c'])
    await end('a')
    expect(began).toEqual(['a', 'b', 'c', 'd'])
  })

  it('pass over who no longer waits', async () => {
    const { began, ask, end } = listing()
    await Promise.all([ask('a'), ask('b')])
    const leaving = new AbortController()
    const left = ask('left', leaving.signal)
    const next = ask('next')
    leaving.abort(new Error('the lease is lost'))
    await expect(left).rejects.toThrow('the lease is lost')
    await expect(ask('late', leaving.signal)).rejects.toThrow('the lease is lost')
    await end('a')
    await next
    expect(began).toEqual(['a', 'b', 'next'])
    // Nothing was lost on the way: two at a time still.
    await Promise.all([end('b'), end('next')])
    await Promise.all([ask('e'), ask('f')])
    const waiting = ask('g')
    expect(began).toEqual(['a', 'b', 'next', 'e', 'f'])
    await end('e')
    await waiting
  })
})
