import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { railNames } from '@windlass/contracts/platform/application-fields.ts'
import { currencyOf } from '../packages/ramp/offers.ts'
import { expect, it } from 'vitest'

it.each(railNames)('the widget names the currency of %s as the platform does', rail => {
  expect(currencyOf(rail, 'unknown')).toBe(railKind(rail, 'unknown').currency)
})
