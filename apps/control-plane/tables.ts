import type { Export, Release, Removal, Upgrade } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import type { TestDeposit, TestRequest } from '@windlass/contracts/platform/test-deposits.ts'
import type { StageError } from '@windlass/contracts/platform/provisioning.ts'
import type { Origin } from '@windlass/service/observe/current-request.ts'
import type { Slot } from '@windlass/runtimes/runtime.ts'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import { fileURLToPath } from 'node:url'

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))

type Time = ColumnType<Date, Date | undefined, Date>
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>

/** The tables of the control plane by the slice that owns them: no other slice names them in SQL. */
export interface Tables {
  // anchors
  anchors: AnchorsTable
  anchor_secrets: AnchorSecretsTable
  // wallet-checks
  wallet_checks: WalletChecksTable
  // test-deposits
  test_deposits: TestDepositsTable
  // servers
  upgrades: UpgradesTable
  // provisioning
  jobs: JobsTable
  job_stages: JobStagesTable
  job_log: JobLogTable
  envelopes: EnvelopesTable
  ledger_resets: LedgerResetsTable
  // removal
  removals: RemovalsTable
}

/** What an operator asked to replace of an anchor's own secrets. */
export interface SecretRotation {
  id: string
  groups: string[]
  /** Whether the new secrets are stored: what is left is that everyone uses them. */
  replaced: boolean
}

interface AnchorsTable {
  id: string
  plan: JSONColumnType<AnchorPlan>
  data_key: Buffer
  sep_port: number | null
  business_port: number | null
  running: Generated<boolean>
  provisioned_at: OptionalTime
  slot: Generated<Slot>
  release: ColumnType<Release | null, string | null | undefined, string | null>
  removed_at: OptionalTime
  /** Since when its servers sleep; null: they run. */
  asleep_since: OptionalTime
  wake_at: OptionalTime
  last_summary: ColumnType<AnchorSummary | null, string | null | undefined, string | null>
  balances: ColumnType<unknown, string | null | undefined, string | null>
  /** Null: none is open. */
  rotation: ColumnType<SecretRotation | null, string | null | undefined, string | null>
  created_at: Time
  number: GeneratedAlways<number>
}

interface AnchorSecretsTable {
  anchor_id: string
  role: string
  public_key: string | null
  /** Null: the signer has the key of this account. */
  sealed: Buffer | null
  created_at: Time
}

interface WalletChecksTable {
  anchor_id: string
  next_at: Date
  checked_at: Date | null
  report: ColumnType<WalletCheckReport | null, string | null | undefined, string | null>
}

interface TestDepositsTable {
  anchor_id: string
  id: string
  state: Generated<TestDeposit['state']>
  account: string
  rail: string
  amount: string
  transaction_id: string | null
  failure: string | null
  requests: ColumnType<TestRequest[], string | undefined, string>
  attempts: Generated<number>
  due_at: Date
  created_at: Date
  ended_at: Date | null
}

interface UpgradesTable {
  id: string
  anchor_id: string
  from_release: ColumnType<Release | null, string | null, never>
  to_release: ColumnType<Release, string, never>
  state: Generated<Upgrade['state']>
  slot: ColumnType<Slot | null, Slot | null | undefined, Slot | null>
  sep_port: ColumnType<number | null, number | null | undefined, number | null>
  business_port: ColumnType<number | null, number | null | undefined, number | null>
  requested_by: string
  error: ColumnType<Upgrade['error'], string | null | undefined, string | null>
  created_at: Time
  finished_at: OptionalTime
}

interface JobsTable {
  id: string
  anchor_id: string
  status: Generated<'pending' | 'running' | 'failed' | 'completed'>
  revision: Generated<number>
  attempts: Generated<number>
  next_run_at: Time
  lease_token: string | null
  lease_until: OptionalTime
  heartbeat_at: Time
  resumes: Generated<number>
  resumed_at: OptionalTime
  origin: ColumnType<Origin | null, string | null | undefined, never>
  created_at: Time
  updated_at: Time
}

interface JobStagesTable {
  job_id: string
  position: number
  /** Name of the stage in the version of Windlass that last ran the job: not always one of ours. */
  name: string
  status: Generated<'pending' | 'running' | 'failed' | 'completed'>
  attempts: Generated<number>
  failures: Generated<number>
  spent: Generated<number>
  started_at: OptionalTime
  finished_at: OptionalTime
  error: ColumnType<StageError | null, string | null | undefined, string | null>
}

interface JobLogTable {
  id: Generated<string>
  job_id: string
  at: Time
  stage: string
  level: 'info' | 'warn' | 'error'
  text: string
}

interface EnvelopesTable {
  hash: string
  anchor_id: string
  purpose: string
  xdr: string
  source: string
  sequence: string
  max_time: ColumnType<string, number, number>
  ledger: JSONColumnType<{ sequence: number; hash: string }>
  state: Generated<'open' | 'applied' | 'retired'>
  reason: string | null
  created_at: Time
  settled_at: OptionalTime
}

interface LedgerResetsTable {
  anchor_id: string
  id: string
}

interface RemovalsTable {
  id: string
  anchor_id: string
  state: Generated<Exclude<Removal['state'], 'requested'>>
  forced: boolean
  records: JSONColumnType<Record<string, unknown>>
  export: ColumnType<Export | null, string | null | undefined, string | null>
  error: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Time
  finished_at: OptionalTime
}
