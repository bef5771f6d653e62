import type { ApprovalsTables } from './approvals/tables.ts'
import type { BankFilesTables } from './bank-files/tables.ts'
import type { ComplianceTables } from './compliance/tables.ts'
import type { CustomersTables } from './customers/tables.ts'
import type { InteractiveTables } from './interactive/tables.ts'
import type { JournalTables } from './journal/tables.ts'
import type { KeyActsTables } from './key-acts/tables.ts'
import type { PaymentsTables } from './payments/tables.ts'
import type { QuotesTables } from './quotes/tables.ts'
import type { RailsTables } from './rails/tables.ts'
import type { ReconciliationTables } from './reconciliation/tables.ts'
import type { SendingAnchorsTables } from './sending-anchors/tables.ts'
import type { SepCallsTables } from './sep-calls/tables.ts'
import type { SettingsTables } from './settings/tables.ts'
import type { TransfersTables } from './transfers/tables.ts'
import type { TravelRuleTables } from './travel-rule/tables.ts'
import type { TreasuryTables } from './treasury/tables.ts'
import type { WebhooksTables } from './webhooks/tables.ts'

export type * from './approvals/tables.ts'
export type * from './bank-files/tables.ts'
export type * from './compliance/tables.ts'
export type * from './customers/tables.ts'
export type * from './interactive/tables.ts'
export type * from './journal/tables.ts'
export type * from './key-acts/tables.ts'
export type * from './payments/tables.ts'
export type * from './quotes/tables.ts'
export type * from './rails/tables.ts'
export type * from './reconciliation/tables.ts'
export type * from './sending-anchors/tables.ts'
export type * from './sep-calls/tables.ts'
export type * from './settings/tables.ts'
export type * from './transfers/tables.ts'
export type * from './travel-rule/tables.ts'
export type * from './treasury/tables.ts'
export type * from './webhooks/tables.ts'

/** Every table of this server. */
export interface Tables
  extends
    ApprovalsTables,
    BankFilesTables,
    ComplianceTables,
    CustomersTables,
    InteractiveTables,
    JournalTables,
    KeyActsTables,
    PaymentsTables,
    QuotesTables,
    RailsTables,
    ReconciliationTables,
    SendingAnchorsTables,
    SepCallsTables,
    SettingsTables,
    TransfersTables,
    TravelRuleTables,
    TreasuryTables,
    WebhooksTables {}
