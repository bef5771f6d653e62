import { closeSync, fdatasyncSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../stand/report.ts'
import { Network } from './network.ts'
import { isSmoke } from '../stand/run.ts'
import { median, percentile } from '../stand/percentile.ts'
import { inParallel } from './sampling.ts'

/**
 * Clients that each wait for their transaction's ledger before they send the next, ledgers closing at once. One client
 * can be no faster than the disk confirms a write, which is measured beside it.
 */
export async function measureClients(folder: string, seconds: number): Promise<void> {
  const disk = confirmedWrites(folder)
  console.log(`the disk confirms a write of 4 kB in ${(disk * 1000).toFixed(2)} ms`)
  for (const clients of isSmoke ? [2] : [1, 8, 32])
    for (const operations of isSmoke ? [1] : [1, 100])
      await measure(join(folder, `${clients}-${operations}`))(clients, operations)

  function measure(home: string) {
    return async (clients: number, operations: number) => {
      const network = await Network.start(home, 'at-once')
      try {
        const payers = await network.makePayers(clients)
        const [worked, wrote, held] = [network.processorSeconds(), network.writtenBytes(), sizeOf(home)]
        const waits: number[] = []
        const started = performance.now()
        await inParallel(clients, async index => {
          const [payer, to] = [payers[index], payers[(index + 1) % clients]]
          while (payer && to && performance.now() - started < seconds * 1000) {
            const sent = performance.now()
            await network.submit(payer.payments(to.id, operations))
            waits.push(performance.now() - sent)
          }
        })
        const lasted = (performance.now() - started) / 1000
        const paid = waits.length * operations
        const each = (bytes: number) => `${(bytes / paid / 1024).toFixed(1)} kB`
        console.log(
          `${clients} clients, ${operations} payments a transaction: ${(paid / lasted).toFixed(0)} payments a second, ` +
            `p50 ${median(waits).toFixed(1)} ms, p99 ${percentile(waits, 0.99).toFixed(1)} ms; of the processor ` +
            `${(((network.processorSeconds() - worked) / paid) * 1000).toFixed(2)} ms, written ` +
            `${each(network.writtenBytes() - wrote)}, kept ${each(sizeOf(home) - held)} a payment`,
        )
        if (clients === 1 && operations === 1)
          report(
            'one client: a payment against a confirmed write and 3 ms',
            median(waits) / (disk * 1000 + 3),
            {
              atMost: 2,
            },
          )
        if (operations === 100)
          report(`${clients} clients: payments a second against 3000`, paid / lasted / 3000, { atLeast: 1 })
      } finally {
        await network.stop()
      }
    }
  }
}

function sizeOf(home: string): number {
  return readdirSync(home).reduce((sum, name) => sum + statSync(join(home, name)).size, 0)
}

/** Seconds that an appended page needs until it is on the disk. */
function confirmedWrites(folder: string): number {
  const file = openSync(join(folder, 'disk'), 'w')
  const page = Buffer.alloc(4096, 1)
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return (performance.now() - started) / 1000
  })
  closeSync(file)
  return median(times)
}
