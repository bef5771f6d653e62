import type {
  CustomerFileTable,
  CustomerTable,
  KycDeliveryTable,
  KycSessionTable,
  KycStatusTable,
} from './customers/customer.ts'
import type { EnvelopeTable, LedgerPaymentTable, LedgerReceiptTable, ObservedTable } from './ledger/table.ts'
import type { RailOrderTable, RailReceiptTable, SimulatedPaymentTable } from './rails/table.ts'
import type { FirmRateTable } from './rates/table.ts'
import type { PlatformCallTable, TransferStepTable, TransferTable } from './transfers/transfer.ts'
import type { ReservationTable } from './treasury/table.ts'
import type { WebhookDeliveryTable, WebhookEndpointTable } from './webhooks/table.ts'

export interface BusinessDatabase {
  reservations: ReservationTable
  customers: CustomerTable
  customer_files: CustomerFileTable
  kyc_statuses: KycStatusTable
  kyc_sessions: KycSessionTable
  kyc_deliveries: KycDeliveryTable
  firm_rates: FirmRateTable
  transfers: TransferTable
  transfer_steps: TransferStepTable
  platform_calls: PlatformCallTable
  ledger_payments: LedgerPaymentTable
  ledger_envelopes: EnvelopeTable
  observed: ObservedTable
  ledger_receipts: LedgerReceiptTable
  rail_receipts: RailReceiptTable
  rail_orders: RailOrderTable
  simulated_rail_payments: SimulatedPaymentTable
  webhook_endpoints: WebhookEndpointTable
  webhook_deliveries: WebhookDeliveryTable
}
