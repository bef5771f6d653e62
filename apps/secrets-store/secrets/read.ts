import type { Db } from '@windlass/service/database.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { markedForDeletion, notFound, Refusal } from '../protocol/refusal.ts'
import type { GetSecretValue } from './inputs.ts'
import { findSecret, findVersion, stagesOfVersion, versionAtStage } from './queries.ts'
import type { Version } from './table.ts'
import { seconds } from './times.ts'
import { openValue, valueFields } from './value.ts'

/** The version asked for, by id or stage; AWSCURRENT unless told. */
export async function getSecretValue(deps: Deps, input: GetSecretValue): Promise<object> {
  const { db } = deps.database
  const secret = await findSecret(db, input.SecretId)
  if (!secret) throw notFound()
  if (secret.delete_after) throw markedForDeletion()
  const version = await chosenVersion(db, secret.arn, input)
  const value = openValue(deps.sealer, version)
  const today = deps.clock.now().toISOString().slice(0, 10)
  if (secret.accessed_on !== today) {
    await db.updateTable('secrets').set({ accessed_on: today }).where('arn', '=', secret.arn).execute()
  }
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.version_id,
    VersionStages: await stagesOfVersion(db, secret.arn, version.version_id),
    CreatedDate: seconds(version.created_at),
    ...valueFields(value),
  }
}

async function chosenVersion(db: Db<Tables>, arn: string, input: GetSecretValue): Promise<Version> {
  const { VersionId: id, VersionStage: stage } = input
  const atStage =
    id === undefined || stage !== undefined ? await versionAtStage(db, arn, stage ?? 'AWSCURRENT') : undefined
  if (id !== undefined && stage !== undefined && atStage !== id) {
    throw new Refusal(
      'InvalidRequestException',
      'You provided a VersionStage that is not associated to the provided VersionId.',
    )
  }
  const wanted = id ?? atStage
  const version = wanted === undefined ? undefined : await findVersion(db, arn, wanted)
  if (version) return version
  const what = id === undefined ? `staging label: ${stage ?? 'AWSCURRENT'}` : `VersionId: ${id}`
  throw new Refusal(
    'ResourceNotFoundException',
    `Secrets Manager can't find the specified secret value for ${what}`,
  )
}
