import { brokenUnique } from '@windlass/service/database.ts'
import { randomInt, randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { CreateSecret } from './inputs.ts'
import { findSecret, findVersion, insertSecret } from './queries.ts'
import { openValue, type Value, valueOf } from './value.ts'
import { addVersion } from './write.ts'

/** A repeat with the same token and value answers as the first time; another value or token is refused. */
export async function createSecret(deps: Deps, input: CreateSecret): Promise<object> {
  const value = valueOf(input)
  const versionId = input.ClientRequestToken ?? randomUUID()
  const arn = `arn:aws:secretsmanager:${deps.region}:000000000000:secret:${input.Name}-${randomSuffix()}`
  try {
    return await deps.database.db.transaction().execute(async tx => {
      await insertSecret(tx, {
        arn,
        name: input.Name,
        description: input.Description ?? null,
        kms_key_id: input.KmsKeyId ?? null,
        tags: input.Tags ?? [],
        created_at: deps.clock.now(),
      })
      if (value) await addVersion(deps, tx, { arn, versionId, value, stages: ['AWSCURRENT'] })
      return { ARN: arn, Name: input.Name, ...(value ? { VersionId: versionId } : {}) }
    })
  } catch (error) {
    if (brokenUnique(error) !== 'secrets_name') throw error
    return repeated(deps, input, versionId, value)
  }
}

async function repeated(
  deps: Deps,
  input: CreateSecret,
  versionId: string,
  value: Value | undefined,
): Promise<object> {
  const { db } = deps.database
  const secret = await findSecret(db, input.Name)
  if (secret?.delete_after) {
    throw new Refusal(
      'InvalidRequestException',
      "You can't create this secret because a secret with this name is already scheduled for deletion.",
    )
  }
  const version = secret && (await findVersion(db, secret.arn, versionId))
  const kept = version && openValue(deps.sealer, version)
  if (secret && kept && value && kept.kind === value.kind && kept.text === value.text) {
    return { ARN: secret.arn, Name: secret.name, VersionId: versionId }
  }
  throw new Refusal(
    'ResourceExistsException',
    `The operation failed because the secret ${input.Name} already exists.`,
  )
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const randomSuffix = () => Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
