import type { Deps } from '../deps.ts'
import { notFound, Refusal } from '../protocol/refusal.ts'
import type { DeleteSecret, OneSecret } from './inputs.ts'
import { findSecret, nameInArn } from './queries.ts'
import { seconds } from './times.ts'
import { lockSecret } from './lock.ts'

const DAY_MS = 86_400_000

/** At once with `ForceDeleteWithoutRecovery` (also where there is none), else after 7 to 30 days (30 unless told). */
export async function deleteSecret(deps: Deps, input: DeleteSecret): Promise<object> {
  const { RecoveryWindowInDays: days, ForceDeleteWithoutRecovery: force } = input
  if (force && days !== undefined) {
    throw new Refusal(
      'InvalidParameterException',
      "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.",
    )
  }
  if (days !== undefined && (days < 7 || days > 30)) {
    throw new Refusal('InvalidParameterException', 'RecoveryWindowInDays must be between 7 and 30.')
  }
  return force ? deleteNow(deps, input.SecretId) : deleteLater(deps, input.SecretId, days ?? 30)
}

async function deleteNow(deps: Deps, id: string): Promise<object> {
  const { db } = deps.database
  const secret = await findSecret(db, id)
  if (secret) await db.deleteFrom('secrets').where('arn', '=', secret.arn).execute()
  return {
    ARN: secret?.arn ?? id,
    Name: secret?.name ?? nameInArn(id),
    DeletionDate: seconds(deps.clock.now()),
  }
}

async function deleteLater(deps: Deps, id: string, days: number): Promise<object> {
  return deps.database.db.transaction().execute(async tx => {
    const { arn, name } = await lockSecret(tx, id)
    const at = new Date(deps.clock.now().getTime() + days * DAY_MS)
    await tx.updateTable('secrets').set({ delete_after: at }).where('arn', '=', arn).execute()
    return { ARN: arn, Name: name, DeletionDate: seconds(at) }
  })
}

export async function restoreSecret(deps: Deps, input: OneSecret): Promise<object> {
  return deps.database.db.transaction().execute(async tx => {
    const secret = await findSecret(tx, input.SecretId, true)
    if (!secret) throw notFound()
    await tx.updateTable('secrets').set({ delete_after: null }).where('arn', '=', secret.arn).execute()
    return { ARN: secret.arn, Name: secret.name }
  })
}

/** Removes the secrets whose recovery window has passed. */
export async function removeExpired(deps: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  await deps.database.db.deleteFrom('secrets').where('delete_after', '<=', deps.clock.now()).execute()
}
