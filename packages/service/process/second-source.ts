import type { Amount } from '@windlass/money/amount.ts'
import { amount, ConfigError, optional, url, type Env } from './env.ts'

/** Where another, independent source of the ledger is: a Horizon or a Stellar RPC; neither is set where there is none. */
export interface SecondSourceSettings {
  horizonUrl: string | undefined
  rpcUrl: string | undefined
  /** Up to how many units of an asset a payment is believed without it. */
  limit: Amount
}

/**
 * SECOND_HORIZON_URL or SECOND_RPC_URL, and SECOND_SOURCE_LIMIT. The public network needs a source of someone else than
 * its other ones.
 *
 * @throws {ConfigError}
 */
export function readSecondSource(env: Env, { mainnet }: { mainnet: boolean }): SecondSourceSettings {
  const read = (name: string) => (optional(env, name) ? url(env, name) : undefined)
  const [horizonUrl, rpcUrl] = [read('SECOND_HORIZON_URL'), read('SECOND_RPC_URL')]
  if (horizonUrl && rpcUrl)
    throw new ConfigError('SECOND_HORIZON_URL and SECOND_RPC_URL are both set: keep one')
  const given = horizonUrl ?? rpcUrl
  if (mainnet && !given)
    throw new ConfigError(
      'SECOND_HORIZON_URL or SECOND_RPC_URL must be set with IS_MAINNET=true: a Horizon or Stellar RPC of someone else than HORIZON_URL, so that no single server’s word moves money',
    )
  const others = [read('HORIZON_URL'), read('HISTORY_HORIZON_URL')]
  const [own, history] = others
  if (mainnet && own && history && new URL(own).host === new URL(history).host)
    throw new ConfigError(
      `HISTORY_HORIZON_URL is at ${new URL(history).host}, as HORIZON_URL is: it would be a witness of itself`,
    )
  const same = others.find(other => other && given && new URL(other).host === new URL(given).host)
  if (mainnet && same)
    throw new ConfigError(
      `SECOND_HORIZON_URL or SECOND_RPC_URL is at ${new URL(same).host}, as another source is: it must be someone else’s`,
    )
  return { horizonUrl, rpcUrl, limit: amount(env, 'SECOND_SOURCE_LIMIT', '0') }
}
