export interface HealthMetricTable {
  anchor_id: string
  checked_at: Date
  current_availability: boolean
  treasury_capacity: string | null
  latency_ms: number
  source: string | null
  failure: string | null
  batch_id: string
}
