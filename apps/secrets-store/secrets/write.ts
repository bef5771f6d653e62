import type { Db } from '@windlass/service/database.ts'
import { randomUUID } from 'node:crypto'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { PutSecretValue, UpdateSecret } from './inputs.ts'
import { findVersion, removeOutdated, stagesOfVersion } from './queries.ts'
import { lockSecret } from './lock.ts'
import { attachStage } from './stages.ts'
import { openValue, sealValue, type Value, valueOf } from './value.ts'

const DAY_MS = 86_400_000

export async function putSecretValue(deps: Deps, input: PutSecretValue): Promise<object> {
  const value = valueOf(input)
  if (!value) {
    throw new Refusal('InvalidParameterException', 'You must provide either SecretString or SecretBinary.')
  }
  return deps.database.db.transaction().execute(async tx => {
    const { arn, name } = await lockSecret(tx, input.SecretId)
    const versionId = input.ClientRequestToken ?? randomUUID()
    const stages = input.VersionStages ?? ['AWSCURRENT']
    await addVersion(deps, tx, { arn, versionId, value, stages })
    const VersionStages = await stagesOfVersion(tx, arn, versionId)
    return { ARN: arn, Name: name, VersionId: versionId, VersionStages }
  })
}

export async function updateSecret(deps: Deps, input: UpdateSecret): Promise<object> {
  const value = valueOf(input)
  return deps.database.db.transaction().execute(async tx => {
    const { arn, name } = await lockSecret(tx, input.SecretId)
    await tx
      .updateTable('secrets')
      .set({
        changed_at: deps.clock.now(),
        ...(input.Description === undefined ? {} : { description: input.Description }),
        ...(input.KmsKeyId === undefined ? {} : { kms_key_id: input.KmsKeyId }),
      })
      .where('arn', '=', arn)
      .execute()
    if (!value) return { ARN: arn, Name: name }
    const versionId = input.ClientRequestToken ?? randomUUID()
    await addVersion(deps, tx, { arn, versionId, value, stages: ['AWSCURRENT'] })
    return { ARN: arn, Name: name, VersionId: versionId }
  })
}

/**
 * Adds a version and puts its stages on it. The version id is the caller's token: the same one with the same
 * value changes nothing, with another value it throws `ResourceExistsException`.
 */
export async function addVersion(
  deps: Deps,
  tx: Db<Tables>,
  { arn, versionId, value, stages }: { arn: string; versionId: string; value: Value; stages: string[] },
): Promise<void> {
  const before = await findVersion(tx, arn, versionId)
  if (before) {
    const kept = openValue(deps.sealer, before)
    if (kept.kind === value.kind && kept.text === value.text) return
    throw new Refusal(
      'ResourceExistsException',
      `You can't use ClientRequestToken ${versionId} because that value is already in use for a version of secret ${arn}.`,
    )
  }
  const now = deps.clock.now()
  const sealed = sealValue(deps.sealer, arn, versionId, value)
  await tx
    .insertInto('versions')
    .values({ arn, version_id: versionId, kind: value.kind, sealed, created_at: now })
    .execute()
  for (const stage of new Set(stages)) await attachStage(tx, arn, stage, versionId)
  await tx.updateTable('secrets').set({ changed_at: now }).where('arn', '=', arn).execute()
  await removeOutdated(tx, arn, new Date(now.getTime() - DAY_MS))
}
