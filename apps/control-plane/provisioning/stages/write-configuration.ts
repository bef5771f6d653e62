import { announceAnchorSecret } from '@windlass/contracts/internal/control-plane.ts'
import { createHash } from 'node:crypto'
import { writeConfiguration } from '../../servers/configuration.ts'
import { callPlatform } from '../call-platform.ts'
import { keepSecretsAndPorts } from '../secrets-and-ports.ts'
import { StageFailure } from '../../stage-failure.ts'
import type { ProvisioningStage } from '../stage.ts'

/** The anchor's own secrets, and the files its two servers read. */
export const writeConfigurationFiles: ProvisioningStage = {
  name: 'Generating configuration files',
  key: 'configuration',
  retries: { attempts: 10, backoff: 1, maxBackoff: 15, budget: 180 },
  run: async context => {
    const { deps, jobId, plan, vault, log } = context
    await keepSecretsAndPorts(context)
    context.at('secrets-kept')
    const written = await writeConfiguration(deps, plan, vault).catch(error => {
      throw asFailure(error)
    })
    const { secret } = await vault.get(deps.database.db, 'service')
    const serviceSecretHash = createHash('sha256').update(secret).digest('hex')
    await callPlatform(deps, announceAnchorSecret, { params: { jobId }, body: { serviceSecretHash } })
    await log('info', `Configuration and secrets are written (${written.length} files).`)
  },
}

function asFailure(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  const cause = { cause: error }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StageFailure('disk-full', 'There is no space left for the configuration files.', cause)
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new StageFailure('disk-not-writable', 'The configuration files cannot be written.', cause)
  }
  return error
}
