import type { ApiRequestsTables } from './workspace/api-requests/tables.ts'
import type { ApprovalsTables } from './money/approvals/tables.ts'
import type { BoundFactsTables } from './money/bound-facts/tables.ts'
import type { BankFilesTables } from './bank-files/tables.ts'
import type { ComplianceTables } from './people/compliance/tables.ts'
import type { CustomersTables } from './people/customers/tables.ts'
import type { InteractiveTables } from './interactive/tables.ts'
import type { JournalTables } from './money/journal/tables.ts'
import type { KeyActsTables } from './workspace/key-acts/tables.ts'
import type { PaymentsTables } from './payments/tables.ts'
import type { QuotesTables } from './transfers/quotes/tables.ts'
import type { RailsTables } from './rails/tables.ts'
import type { ReconciliationTables } from './workspace/reconciliation/tables.ts'
import type { RiskRatingTables } from './people/risk-rating/tables.ts'
import type { OutsideChecksTables } from './people/outside-checks/tables.ts'
import type { TravelProvidersTables } from './people/travel-providers/tables.ts'
import type { TravelMessagesTables } from './transfers/travel-messages/tables.ts'
import type { CaseReportsTables } from './workspace/case-reports/tables.ts'
import type { OwnersTables } from './people/owners/tables.ts'
import type { RegistersTables } from './people/registers/tables.ts'
import type { ReservesTables } from './money/reserves/tables.ts'
import type { RetentionTables } from './people/retention/tables.ts'
import type { SendingAnchorsTables } from './people/sending-anchors/tables.ts'
import type { SepCallsTables } from './outgoing/sep-calls/tables.ts'
import type { SettingsTables } from './money/settings/tables.ts'
import type { TransfersTables } from './transfers/tables.ts'
import type { TravelRuleTables } from './transfers/travel-rule/tables.ts'
import type { TreasuryTables } from './money/treasury/tables.ts'
import type { WebhooksTables } from './outgoing/webhooks/tables.ts'

export type * from './money/approvals/tables.ts'
export type * from './money/bound-facts/tables.ts'
export type * from './bank-files/tables.ts'
export type * from './people/compliance/tables.ts'
export type * from './people/customers/tables.ts'
export type * from './interactive/tables.ts'
export type * from './money/journal/tables.ts'
export type * from './workspace/key-acts/tables.ts'
export type * from './payments/tables.ts'
export type * from './transfers/quotes/tables.ts'
export type * from './rails/tables.ts'
export type * from './workspace/reconciliation/tables.ts'
export type * from './money/reserves/tables.ts'
export type * from './people/outside-checks/tables.ts'
export type * from './people/travel-providers/tables.ts'
export type * from './transfers/travel-messages/tables.ts'
export type * from './workspace/case-reports/tables.ts'
export type * from './people/owners/tables.ts'
export type * from './people/registers/tables.ts'
export type * from './people/risk-rating/tables.ts'
export type * from './people/sending-anchors/tables.ts'
export type * from './outgoing/sep-calls/tables.ts'
export type * from './money/settings/tables.ts'
export type * from './transfers/tables.ts'
export type * from './transfers/travel-rule/tables.ts'
export type * from './money/treasury/tables.ts'
export type * from './outgoing/webhooks/tables.ts'

/** Every table of this server. */
export interface Tables
  extends
    ApiRequestsTables,
    ApprovalsTables,
    BoundFactsTables,
    BankFilesTables,
    CaseReportsTables,
    ComplianceTables,
    CustomersTables,
    InteractiveTables,
    JournalTables,
    KeyActsTables,
    OutsideChecksTables,
    OwnersTables,
    TravelProvidersTables,
    TravelMessagesTables,
    PaymentsTables,
    QuotesTables,
    RailsTables,
    ReconciliationTables,
    RegistersTables,
    ReservesTables,
    RetentionTables,
    RiskRatingTables,
    SendingAnchorsTables,
    SepCallsTables,
    SettingsTables,
    TransfersTables,
    TravelRuleTables,
    TreasuryTables,
    WebhooksTables {}
