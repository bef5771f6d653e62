import { expect, it } from 'vitest'
import { fxRate, liveRates } from './fx.ts'

it('live rates are quoted as long as the table has them', () => {
  const table: Record<string, string> = { INR: '88.5' }
  const fx = liveRates({ table })
  const usdc = { code: 'USDC', anchoredTo: 'USD' }
  expect(fxRate(fx, 'INR', usdc)).toEqual({ numerator: 885n, digits: 1 })
  table.INR = '90'
  expect(fxRate(fx, 'INR', usdc)).toEqual({ numerator: 90n, digits: 0 })
  expect(fxRate(fx, 'EUR', usdc)).toBeNull()
  expect(fxRate(fx, 'INR', { code: 'EURT', anchoredTo: 'EUR' })).toBeNull()
  delete table.INR
  expect(fxRate(fx, 'INR', usdc)).toBeNull()
  expect(fxRate(fx, 'USD', usdc)).toEqual({ numerator: 1n, digits: 0 })
})
