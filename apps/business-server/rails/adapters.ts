import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import type { RailProviderName } from '@windlass/contracts/platform/rail-credentials.ts'
import { createBankFileRail } from './bank-file/rail.ts'
import type { Rail, RailOptions } from './rail.ts'
import { createRazorpayRail } from './razorpay/rail.ts'
import type { RailSettings } from './settings.ts'
import { createSimulatedRail } from './simulated/rail.ts'

/** One adapter for every provider of the contract. */
const adapters: Readonly<Record<RailProviderName, (options: RailOptions) => Rail>> = {
  simulated: createSimulatedRail,
  'bank-file': createBankFileRail,
  razorpay: createRazorpayRail,
}

/** The anchor's rails by name, as its configuration lists them. */
export function createRails(
  { plan, publicUrl }: AnchorConfig,
  settings: ReadonlyMap<string, RailSettings>,
  given: Pick<RailOptions, 'db' | 'clock' | 'logger' | 'providerUrl'>,
): ReadonlyMap<string, Rail> {
  const { anchorId: id, organizationName: name, asset } = plan
  const anchor = { id, name, anchoredTo: asset.anchoredTo, publicUrl }
  return new Map(
    [...settings].map(([name, each]) => {
      const rail = adapters[each.provider]({ settings: each, anchor, ...given })
      const { accountFault, earlierAccounts } = each
      return [name, { ...rail, ...(accountFault === null ? {} : { accountFault }), earlierAccounts }]
    }),
  )
}
