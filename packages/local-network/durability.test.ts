import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLocalNetwork } from './local-network.ts'
import {
  createAccount,
  data,
  Laboratory,
  native,
  operation,
  pay,
  xlm,
  type Draft,
} from './testing/laboratory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-network-durability-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Running {
  readonly process: ChildProcess
  readonly url: string
}

async function run(home: string, ...args: string[]): Promise<Running> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), '--port', '0', '--home', home, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(child.stdout, 'data')
  const url = /http:\/\/localhost:\d+/.exec(String(line))?.[0]
  if (!url) throw new Error(`no address in: ${line}`)
  return { process: child, url }
}

async function kill(running: Running, signal: NodeJS.Signals): Promise<void> {
  const gone = once(running.process, 'exit')
  running.process.kill(signal)
  await gone
}

interface Answered {
  readonly hash: string
  readonly envelope: string
  answer: 'success' | 'none'
}

describe('a network killed with -9', () => {
  it('while it closes ledgers keeps all it has called successful, applies nothing twice and continues', async () => {
    const home = join(folder, 'killed')
    // Signs; its own network is not used.
    const signing = await Laboratory.open()
    const payers = Array.from({ length: 8 }, () => Keypair.random())
    const sequences = new Map<Keypair, bigint>()
    const answered: Answered[] = []
    let highest = 0
    let lastClose = 0
    try {
      for (let round = 0; round < 4; round++) {
        const network = await run(home, '--close-every', round % 2 === 0 ? '7' : 'at-once')
        const ask = async (path: string) => await (await fetch(`${network.url}${path}`)).json()
        const { history_latest_ledger: latest, history_latest_ledger_closed_at: closedAt } = await ask('/')
        expect(latest).toBeGreaterThanOrEqual(highest)
        expect(Date.parse(closedAt)).toBeGreaterThanOrEqual(lastClose)
        let replayed = 0
        for (const { hash, answer, envelope } of answered) {
          const stored = await fetch(`${network.url}/transactions/${hash}`)
          if (answer === 'success') expect(stored.status).toBe(200)
          if (stored.status !== 200 || ++replayed > 40) continue
          const again = await post(network.url, envelope)
          expect(again?.status).toBe(200)
        }
        if (round === 0)
          await Promise.all(payers.map(key => fetch(`${network.url}/friendbot?addr=${key.publicKey()}`)))
        for (const key of payers)
          sequences.set(key, BigInt((await ask(`/accounts/${key.publicKey()}`)).sequence))

        // Killed a moment after so many had received success, whatever it is doing then.
        let successes = 0
        let alive = true
        const killed = Promise.withResolvers<void>()
        const countdown = () => {
          if (++successes !== 6 + 3 * round) return
          setTimeout(() => {
            alive = false
            void kill(network, 'SIGKILL').then(killed.resolve)
          }, 3 * round)
        }
        await Promise.all(
          payers.map(async key => {
            while (alive) {
              const sequence = (sequences.get(key) ?? 0n) + 1n
              sequences.set(key, sequence)
              const { envelope, hash } = await signing.sign({ ...payment(key, payers), sequence })
              const one: Answered = { hash, envelope: envelope.toXdr('base64'), answer: 'none' }
              answered.push(one)
              const answer = await post(network.url, one.envelope)
              if (!answer) return
              expect(answer.status).toBe(200)
              one.answer = 'success'
              countdown()
              highest = Math.max(highest, Number(answer.body['ledger']))
              lastClose = Math.max(lastClose, Date.parse(String(answer.body['created_at'])))
            }
          }),
        )
        await killed.promise
      }
      expect(answered.filter(({ answer }) => answer === 'success').length).toBeGreaterThan(20)
      await expectWhole(home)
    } finally {
      await signing.close()
    }
  })

  /** Ledgers chain without a hole, and every lumen is somewhere. */
  async function expectWhole(home: string): Promise<void> {
    const network = await startLocalNetwork({ dataFolder: home, closeEvery: 'on-demand' })
    try {
      let cursor = ''
      let before: Record<string, string> | undefined
      for (;;) {
        const page = await (await fetch(`${network.url}/ledgers?limit=200&cursor=${cursor}`)).json()
        const records: Record<string, string>[] = page._embedded.records
        if (records.length === 0) break
        for (const ledger of records) {
          if (before) {
            expect(ledger['prev_hash']).toBe(before['hash'])
            expect(Number(ledger['sequence'])).toBe(Number(before['sequence']) + 1)
            expect(Date.parse(ledger['closed_at'] ?? '')).toBeGreaterThan(
              Date.parse(before['closed_at'] ?? ''),
            )
          }
          before = ledger
        }
        cursor = records.at(-1)?.['paging_token'] ?? ''
      }
    } finally {
      await network.stop()
    }
  }

  const payment = (key: Keypair, payers: readonly Keypair[]): Draft => ({
    source: key.publicKey(),
    signers: [key],
    operations: [operation(pay(payers[(payers.indexOf(key) + 1) % payers.length] ?? key, native, 1n))],
  })

  async function post(url: string, tx: string) {
    try {
      const response = await fetch(`${url}/transactions`, {
        method: 'POST',
        body: new URLSearchParams({ tx }),
      })
      const body: Record<string, unknown> = await response.json()
      return { status: response.status, body }
    } catch {
      return undefined // it was killed before it answered
    }
  }
})

describe('a network stopped in order', () => {
  it('first closes what is waiting, and has changed nothing when it comes back', async () => {
    const home = join(folder, 'stopped')
    const first = await Laboratory.open({ dataFolder: home, closeEvery: 'on-demand' })
    const key = Keypair.random()
    const funding = first.get(`/friendbot?addr=${key.publicKey()}`)
    while ((await first.get('/health')).status !== 200);
    await new Promise(resolve => setTimeout(resolve, 50))
    await first.close()
    expect((await funding).status).toBe(200)

    const second = await Laboratory.open({ dataFolder: home })
    await second.succeed({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(data('kept', 'yes')), operation(createAccount(Keypair.random(), xlm(5)))],
    })
    const paths = [
      '/',
      '/ledgers',
      `/accounts/${key.publicKey()}`,
      '/operations',
      '/transactions',
      '/fee_stats',
    ]
    const read = async (lab: Laboratory) => {
      const answers = await Promise.all(paths.map(path => lab.get(path)))
      return JSON.stringify(answers).replaceAll(/localhost:\d+/g, 'here')
    }
    const before = await read(second)
    await second.close()
    const third = await Laboratory.open({ dataFolder: home, closeEvery: 'on-demand' })
    expect(await read(third)).toBe(before)
    await third.close()
  })

  it('by SIGTERM exits with 0, by a second start on its folder is not disturbed', async () => {
    const home = join(folder, 'term')
    const running = await run(home)
    for (const reset of [false, true])
      await expect(startLocalNetwork({ dataFolder: home, reset })).rejects.toThrow(
        'another local network is running',
      )
    expect((await fetch(`${running.url}/health`)).status).toBe(200)
    const exited = once(running.process, 'exit')
    running.process.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })
})

describe('a network that is reset', () => {
  it('begins again at its first ledger, with nobody on it', async () => {
    const home = join(folder, 'reset')
    const first = await Laboratory.open({ dataFolder: home })
    const key = await first.funded()
    await first.close()
    const second = await Laboratory.open({ dataFolder: home, reset: true })
    expect(second.network.latestLedger).toBe(1)
    expect((await second.get(`/accounts/${key.publicKey()}`)).status).toBe(404)
    await second.close()
  })

  it('while it runs does so too', async () => {
    const lab = await Laboratory.open({ dataFolder: join(folder, 'reset-running') })
    const key = await lab.funded()
    lab.network.reset()
    expect(lab.network.latestLedger).toBe(1)
    expect((await lab.get(`/accounts/${key.publicKey()}`)).status).toBe(404)
    await lab.get(`/friendbot?addr=${key.publicKey()}`)
    expect(await lab.nativeBalance(key.publicKey())).toBe('10000.0000000')
    await lab.close()
  })

  it('is so whatever is in its folder', async () => {
    const home = join(folder, 'damaged')
    await (await startLocalNetwork({ dataFolder: home })).stop()
    writeFileSync(
      join(home, 'ledger.sqlite'),
      'this is no database at all, but something long enough'.repeat(50),
    )
    await expect(startLocalNetwork({ dataFolder: home })).rejects.toThrow('is damaged')
    const network = await startLocalNetwork({ dataFolder: home, reset: true })
    expect(network.latestLedger).toBe(1)
    await Promise.all([network.stop(), network.stop()])
  })

  it('belongs to one passphrase until then', async () => {
    const home = join(folder, 'passphrase')
    await (await startLocalNetwork({ dataFolder: home })).stop()
    await expect(startLocalNetwork({ dataFolder: home, passphrase: 'Another' })).rejects.toThrow(
      "belongs to the network 'Test SDF Network ; September 2015'",
    )
  })
})

describe('time', () => {
  it('is the clock that was given, and never stands still or goes back', async () => {
    let now = Date.UTC(2030, 0, 1)
    const lab = await Laboratory.open({ closeEvery: 'on-demand', clock: () => now })
    const times: string[] = []
    for (const step of [0, 5_000, 0, -60_000, 100]) {
      now += step
      lab.network.close()
      const { records } = await lab.horizon.ledgers().order('desc').limit(1).call()
      times.push(records[0]?.closed_at ?? '')
    }
    await lab.close()
    expect(times).toEqual([
      '2030-01-01T00:00:00.001Z',
      '2030-01-01T00:00:05Z',
      '2030-01-01T00:00:05.001Z',
      '2030-01-01T00:00:05.002Z',
      '2030-01-01T00:00:05.003Z',
    ])
  })

  it('of a submission runs out when no ledger closes', async () => {
    const lab = await Laboratory.open({ closeEvery: 'on-demand', submissionTimeout: 30 })
    const answer = await lab.get(`/friendbot?addr=${Keypair.random().publicKey()}`)
    expect(answer).toMatchObject({
      status: 504,
      body: { title: 'Transaction Submission Timeout', extras: { hash: expect.any(String) } },
    })
    await lab.close()
  })
})
