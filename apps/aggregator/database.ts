import type { AnchorTable } from './registry/table.ts'
import type { HealthMetricTable } from './health/table.ts'
import type { QuoteTable } from './quotes/table.ts'
import type { RoutingDecisionTable, RoutingPolicyTable, RoutingSnapshotTable } from './routing/table.ts'

export interface Tables {
  anchors: AnchorTable
  health_metrics: HealthMetricTable
  quotes: QuoteTable
  routing_policies: RoutingPolicyTable
  routing_snapshots: RoutingSnapshotTable
  routing_decisions: RoutingDecisionTable
}
