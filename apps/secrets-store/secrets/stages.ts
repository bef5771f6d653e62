import type { Db } from '@windlass/service/database.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { UpdateSecretVersionStage } from './inputs.ts'
import { findVersion, moveStage, removeStage, versionAtStage } from './queries.ts'
import { lockSecret } from './lock.ts'

/** Puts a stage on a version. Where AWSCURRENT moves, AWSPREVIOUS follows to the version that had it. */
export async function attachStage(
  tx: Db<Tables>,
  arn: string,
  stage: string,
  versionId: string,
): Promise<void> {
  const before = await versionAtStage(tx, arn, stage)
  if (before === versionId) return
  await moveStage(tx, arn, stage, versionId)
  if (stage === 'AWSCURRENT' && before) await moveStage(tx, arn, 'AWSPREVIOUS', before)
}

export async function updateVersionStage(deps: Deps, input: UpdateSecretVersionStage): Promise<object> {
  const { VersionStage: stage, RemoveFromVersionId: from, MoveToVersionId: to } = input
  return deps.database.db.transaction().execute(async tx => {
    const { arn, name } = await lockSecret(tx, input.SecretId)
    const holder = await versionAtStage(tx, arn, stage)
    if (from !== undefined && from !== holder) {
      throw wrong(`The staging label ${stage} is not attached to version ${from}.`)
    }
    if (to === undefined) {
      if (from === undefined) throw wrong('Give RemoveFromVersionId, MoveToVersionId or both.')
      if (stage === 'AWSCURRENT') throw wrong('AWSCURRENT can be moved, not removed.')
      await removeStage(tx, arn, stage)
    } else {
      if (!(await findVersion(tx, arn, to))) {
        throw new Refusal(
          'ResourceNotFoundException',
          "Secrets Manager can't find the specified secret version.",
        )
      }
      if (holder && holder !== to && from === undefined) {
        throw wrong(`The staging label ${stage} is attached to version ${holder}: give RemoveFromVersionId.`)
      }
      await attachStage(tx, arn, stage, to)
    }
    await tx.updateTable('secrets').set({ changed_at: deps.clock.now() }).where('arn', '=', arn).execute()
    return { ARN: arn, Name: name }
  })
}

const wrong = (message: string) => new Refusal('InvalidParameterException', message)
