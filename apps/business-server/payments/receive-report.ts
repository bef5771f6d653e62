import type { Deps } from '../deps.ts'
import type { RailReport } from '../rails/rail.ts'
import { receiveDispute, receiveTakenBack } from './receive-dispute.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { settleOrder } from './settle-order.ts'

/** Records what a rail reports, by a webhook or when it is asked; each report may come again. */
export async function receiveReport(deps: Deps, rail: string, report: RailReport): Promise<void> {
  if (report.kind === 'received') await receiveRailPayment(deps, rail, report)
  else if (report.kind === 'taken-back') await receiveTakenBack(deps, rail, report)
  else if (report.kind === 'dispute') await receiveDispute(deps, rail, report)
  else await settleOrder(deps, report, rail)
}
