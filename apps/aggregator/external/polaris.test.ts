import { freePort } from '@windlass/testing/free-ports.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'

/*
 * django-polaris is the Stellar Development Foundation's own anchor server, in Python. Runs where POLARIS_PYTHON names a
 * Python with `pip install django-polaris "stellar-sdk[aiohttp]>=10,<11" setuptools`; without, it is skipped.
 */
const python = process.env.POLARIS_PYTHON
if (!python) console.warn('Skipped: the registry with django-polaris. Name its Python in POLARIS_PYTHON.')

describe.skipIf(!python)('an anchor on django-polaris', () => {
  let horizon: AnchorServer
  let polaris: ChildProcess
  let aggregator: TestAggregator
  let domain: string

  beforeAll(async () => {
    horizon = await startAnchorServer()
    // An account that the ledger does not know logs in with its own key.
    horizon.on('*', json({ status: 404, title: 'Resource Missing', detail: '', type: '' }, 404))
    aggregator = await testAggregator()
    const port = await freePort()
    domain = `127.0.0.1:${port}`
    const program = fileURLToPath(new URL('../testing/polaris/anchor.py', import.meta.url))
    polaris = spawn(python ?? '', [program, String(port), horizon.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve, reject) => {
      polaris.stdout?.once('data', () => resolve())
      polaris.once('exit', code => reject(new Error(`django-polaris exited with ${code}`)))
    })
  })
  afterAll(async () => {
    polaris.removeAllListeners('exit')
    polaris.kill()
    await aggregator.drop()
    await horizon.close()
  })

  it('registers by its home domain, is routed to, quoted and handed over', async () => {
    const registered = await aggregator.post('/external-anchors', { homeDomain: domain })
    expect([registered.status, registered.body.detail]).toEqual([201, undefined])
    expect(registered.body.steps.every(({ ok }: { ok: boolean }) => ok)).toBe(true)
    expect(registered.body.anchor).toMatchObject({
      current_availability: true,
      rails: ['PIX'],
      regions: ['BR'],
      external: { seps: [1, 10, 24, 38] },
      assets: [
        {
          code: 'TEST',
          terms: {
            min: '1',
            max: '5000',
            fees: { fixed: '0.5', percentage: '0.01' },
            prices: { BRL: '5.25' },
          },
        },
      ],
    })
    const wish = { amount: '100', asset: 'TEST', rail: 'PIX', region: 'BR', currency: 'BRL', external: true }
    const routed = await aggregator.post('/route', wish)
    expect(routed.body).toMatchObject({ domain, external: true, fee: '1.5' })
    const quoted = await aggregator.post('/quotes', wish)
    expect(quoted.body).toMatchObject({ fxRate: '5.25', sellAmount: '532.875' })
    const started = await aggregator.post('/transactions/start', { quoteId: quoted.body.id })
    expect(started.body.endpoints.transferServerSep24).toBe(`http://${domain}/sep24`)
  })
})
