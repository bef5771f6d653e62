import { createHmac } from 'node:crypto'

/** Beside the summary secret it proves that the platform itself asks. The proxy strips it from what comes in. */
export const PLATFORM_PROOF_HEADER = 'x-windlass-platform'

/** With the proof: what the person reads for whom the platform asks, as scopes. Without it, all that people read. */
export const READER_HEADER = 'x-windlass-reader'

/**
 * What the platform sends to change something at an anchor's business server. The aggregator has the summary secret too,
 * and may only read: it has not the hash of the anchor's service secret, from which this follows.
 */
export const platformProof = (serviceSecretHash: Buffer): string =>
  createHmac('sha256', serviceSecretHash).update('windlass platform').digest('base64url')
