import { getExchangeRates } from '@windlass/contracts/internal/internal.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { testApp } from '../testing/app.ts'

it('exchange rates are answered to our own services while they are new enough', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rates-'))
  const path = join(folder, 'rates.json')
  const app = await testApp({ env: { FX_RATES_PATH: path, FX_RATES_MAX_AGE_SECONDS: '60' } })
  onTestFinished(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  const ask = () => app.service.call(getExchangeRates)
  await expect(ask()).rejects.toMatchObject({ status: 503 })
  await expect(app.client().call(getExchangeRates)).rejects.toMatchObject({ status: 401 })
  app.clock.advance(31_000)
  const at = app.clock.now().toISOString()
  writeFileSync(path, JSON.stringify({ at, rates: { INR: '88.50' } }))
  expect(await ask()).toEqual({ at, rates: { INR: '88.5' } })
  app.clock.advance(61_000)
  await expect(ask()).rejects.toMatchObject({ status: 503 })
})

it('there are none to answer where they are fixed', async () => {
  const app = await testApp()
  onTestFinished(() => app.close())
  await expect(app.service.call(getExchangeRates)).rejects.toMatchObject({ status: 503 })
})
