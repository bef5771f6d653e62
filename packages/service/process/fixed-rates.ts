import { parseRate } from '@windlass/money/rate.ts'
import { ConfigError, type Env } from './env.ts'

/** Currency units for one US dollar, by ISO 4217 code, as FX_RATE_<code>_USDC gives them. */
export type FxRates = Readonly<Record<string, string>>

/** Rates of local development by default; live feeds are off. */
const LOCAL_RATES: FxRates = { INR: '88.50', EUR: '0.92' }

/**
 * The platform's rates, and every FX_RATE_<code>_USDC of the environment over them. Throws `ConfigError` for one that
 * is no positive decimal number.
 */
export function readFxRates(env: Env, local: boolean, platform: FxRates = {}): FxRates {
  const rates: Record<string, string> = { ...(local ? LOCAL_RATES : {}), ...platform }
  for (const [name, value] of Object.entries(env)) {
    const currency = /^FX_RATE_([A-Z]{3})_USDC$/.exec(name)?.[1]
    if (currency && value) rates[currency] = value
  }
  for (const [currency, rate] of Object.entries(rates)) {
    if (!isPositive(rate))
      throw new ConfigError(
        `FX_RATE_${currency}_USDC must be a decimal number above 0 such as 88.50, not "${rate}"`,
      )
  }
  return rates
}

function isPositive(value: string): boolean {
  try {
    return parseRate(value).numerator > 0n
  } catch {
    return false
  }
}
