import type { Principals } from '@windlass/contracts/realm.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import type { Deps } from '../../deps.ts'
import { currentSettings } from '../../money/settings/settings.ts'
import { readTreasuries, type Treasury } from '../../money/treasury/treasury.ts'

/** The anchor that a key belongs to. 503 where the ledger does not answer. */
export async function workspace(deps: Deps, { scopes }: Principals['developer']) {
  const { plan, accounts } = deps.config.anchor
  const { settings } = await currentSettings(deps, deps.database.db)
  const [first, ...further] = await readTreasuries(deps).catch((cause: unknown) => {
    throw unavailable('The ledger', cause)
  })
  return {
    anchorId: plan.anchorId,
    name: plan.organizationName,
    homeDomain: plan.homeDomain,
    asset: assetForm(first),
    ...(further.length > 0
      ? { furtherAssets: further.map(each => ({ ...assetForm(each), treasury: sumsOf(each) })) }
      : {}),
    distributionAccount: accounts.distribution,
    rails: [...deps.rails.values()].map(({ name, currency, simulation }) => ({
      name,
      currency,
      simulated: simulation !== undefined,
    })),
    fees: settings.fees.deposit,
    limits: { min: settings.limits.min, max: settings.limits.max },
    treasury: sumsOf(first),
    scopes: [...scopes],
  }
}

const assetForm = ({ asset: { code, issuer, anchoredTo } }: Treasury) => ({ code, issuer, anchoredTo })

const sumsOf = ({ balance, reserved, capacity }: Treasury) => ({
  balance: formatAmount(balance),
  reserved: formatAmount(reserved),
  capacity: formatAmount(capacity),
})
