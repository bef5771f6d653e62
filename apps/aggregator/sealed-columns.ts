import { sealedSummarySecrets } from './registry/entry.ts'
import { sealedEndpointSecrets } from './webhooks/endpoints.ts'

/** Every column that AGGREGATOR_KEY encrypts. */
export const sealedColumns = [sealedEndpointSecrets, sealedSummarySecrets]
