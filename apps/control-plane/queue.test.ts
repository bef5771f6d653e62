import { createLogger } from '@windlass/service/observe/logger.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { startQueue, type QueueOptions } from './queue.ts'

type Queue = ReturnType<typeof startQueue>
const queues: Queue[] = []
afterEach(() => Promise.all(queues.splice(0).map(queue => queue.stop())))

function queueOf(options: Pick<QueueOptions, 'due' | 'run'> & Partial<QueueOptions>): Queue {
  const logger = createLogger('test', 'silent')
  const queue = startQueue({ name: 'test', logger, everyMs: null, atOnce: 2, ...options })
  queues.push(queue)
  return queue
}

describe('a queue', () => {
  it('runs everything that is due, so many at once and none twice at a time', async () => {
    const due = new Set(['a', 'b', 'c', 'd', 'e'])
    const running = new Set<string>()
    const most: number[] = []
    const queue = queueOf({
      due: async () => [...due],
      run: async id => {
        expect(running.has(id)).toBe(false)
        most.push(running.add(id).size)
        await new Promise(resolve => setImmediate(resolve))
        due.delete(id)
        running.delete(id)
      },
    })
    await queue.idle()
    expect(due).toEqual(new Set())
    expect(Math.max(...most)).toBe(2)
    expect(most).toHaveLength(5)
  })

  it('leaves what failed to the next round, and continues with the rest', async () => {
    const runs: string[] = []
    const due = ['bad', 'good']
    const queue = queueOf({
      due: async () => due.filter(id => id === 'bad' || !runs.includes(id)),
      run: async id => {
        runs.push(id)
        if (id === 'bad' && runs.filter(each => each === 'bad').length < 3) throw new Error('fails')
        if (id === 'bad') due.length = 0
      },
    })
    await queue.idle()
    queue.wake()
    await queue.idle()
    expect(runs.filter(id => id === 'good')).toEqual(['good'])
    expect(runs.filter(id => id === 'bad').length).toBeGreaterThan(1)
  })

  it('stops: what runs gets a signal, and nothing begins any more', async () => {
    const began: string[] = []
    const queue = queueOf({
      atOnce: 1,
      due: async () => ['a', 'b'].filter(id => !began.includes(id)),
      run: (id, stopping) => {
        began.push(id)
        return new Promise(resolve => stopping.addEventListener('abort', () => resolve(), { once: true }))
      },
    })
    await expect.poll(() => began).toEqual(['a'])
    await queue.stop()
    queue.wake()
    await queue.idle()
    expect(began).toEqual(['a'])
  })
})
