import { PLATFORM_PROOF_HEADER, platformProof } from '@windlass/service/http/platform-proof.ts'
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'

/** Headers with which the platform changes something at a business server. */
export const asPlatform = ({ summary, service }: Pick<Config['secrets'], 'summary' | 'service'>) => ({
  'x-service-secret': summary,
  [PLATFORM_PROOF_HEADER]: platformProof(createHash('sha256').update(service).digest()),
})
