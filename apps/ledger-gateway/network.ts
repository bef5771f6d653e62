import { OtherNetworkError, requireNetwork } from '@windlass/stellar/horizon-client.ts'
import type { LedgerSource } from '@windlass/stellar/network.ts'
import type { Urgency } from './budget.ts'

/** Whether the Horizon behind this gateway is of our network: where it is not, only its root is passed on. */
export interface Network {
  /** Compares the root where a connection was opened since. Throws {@link OtherNetworkError}, or that it does not answer. */
  require(urgency: Urgency): Promise<void>
  /** What the last comparison found. */
  readonly fault: OtherNetworkError | null
}

export function watchNetwork(horizon: LedgerSource): Network {
  let fault: OtherNetworkError | null = null
  return {
    require: async urgency => {
      try {
        await requireNetwork(horizon, urgency)
        fault = null
      } catch (error) {
        if (error instanceof OtherNetworkError) fault = error
        throw error
      }
    },
    get fault() {
      return fault
    },
  }
}
