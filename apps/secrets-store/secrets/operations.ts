import { brokenUnique } from '@windlass/service/postgres/database.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import { randomInt, randomUUID } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { AwsError } from '../protocol/aws-error.ts'
import { operation, type Operation } from '../protocol/serve.ts'
import type { SecretRow } from '../tables.ts'
import { deleteSecretRow, findSecret, insertSecret, updateValue } from './queries.ts'

// Limits as in the API reference of AWS Secrets Manager. A member that is not here is refused, not ignored.
const closed = { additionalProperties: false }
const Name = Type.String({ minLength: 1, maxLength: 512, pattern: '^[A-Za-z0-9/_+=.@-]+$' })
const SecretId = Type.String({ minLength: 1, maxLength: 2048 })
const MAX_BYTES = 65_536
const value = {
  ClientRequestToken: Type.Optional(
    Type.String({ minLength: 32, maxLength: 64, pattern: '^[\\x21-\\x7e]+$' }),
  ),
  SecretString: Type.String({ minLength: 1, maxLength: MAX_BYTES }),
}
const CreateSecret = Type.Object({ Name, ...value }, closed)
const PutSecretValue = Type.Object({ SecretId, ...value }, closed)
const GetSecretValue = Type.Object({ SecretId }, closed)
const DeleteSecret = Type.Object({ SecretId, ForceDeleteWithoutRecovery: Type.Literal(true) }, closed)

/** The operations of AWS Secrets Manager that the platform calls, by their AWS names. */
export const secretOperations = (deps: Deps): Record<string, Operation> => ({
  CreateSecret: operation(CreateSecret, input => createSecret(deps, input)),
  GetSecretValue: operation(GetSecretValue, input => getSecretValue(deps, input)),
  PutSecretValue: operation(PutSecretValue, input => putSecretValue(deps, input)),
  DeleteSecret: operation(DeleteSecret, input => deleteSecret(deps, input)),
})

/** A repeat with the same token and value is answered as the first one; any other is `ResourceExistsException`. */
async function createSecret(deps: Deps, input: Static<typeof CreateSecret>): Promise<object> {
  requireSize(input.SecretString)
  const arn = `arn:aws:secretsmanager:${deps.region}:000000000000:secret:${input.Name}-${randomSuffix()}`
  const versionId = input.ClientRequestToken ?? randomUUID()
  const now = deps.clock.now()
  const secret: SecretRow = {
    arn,
    name: input.Name,
    version_id: versionId,
    sealed: deps.sealer.seal(input.SecretString, contextOf(arn, versionId)),
    created_at: now,
    changed_at: now,
  }
  try {
    await insertSecret(deps.database.db, secret)
    return written(secret)
  } catch (error) {
    if (brokenUnique(error) !== 'secrets_name') throw error
    const existing = await findSecret(deps.database.db, input.Name)
    if (existing && isRepeat(deps, existing, versionId, input.SecretString)) return written(existing)
    throw new AwsError(
      'ResourceExistsException',
      `The operation failed because the secret ${input.Name} already exists.`,
    )
  }
}

async function getSecretValue(deps: Deps, input: Static<typeof GetSecretValue>): Promise<object> {
  const secret = await findSecret(deps.database.db, input.SecretId)
  if (!secret) throw notFound()
  return {
    ...written(secret),
    CreatedDate: seconds(secret.changed_at),
    SecretString: open(deps, secret),
  }
}

/** Replaces the value; the one before cannot be read again. The same token with another value is refused. */
async function putSecretValue(deps: Deps, input: Static<typeof PutSecretValue>): Promise<object> {
  requireSize(input.SecretString)
  return deps.database.db.transaction().execute(async tx => {
    const secret = await findSecret(tx, input.SecretId, 'lock')
    if (!secret) throw notFound()
    const versionId = input.ClientRequestToken ?? randomUUID()
    if (versionId === secret.version_id) {
      if (isRepeat(deps, secret, versionId, input.SecretString)) return written(secret)
      throw new AwsError(
        'ResourceExistsException',
        `The ClientRequestToken ${versionId} was used for another value of this secret.`,
      )
    }
    const sealed = deps.sealer.seal(input.SecretString, contextOf(secret.arn, versionId))
    const changed = { version_id: versionId, sealed, changed_at: deps.clock.now() }
    await updateValue(tx, secret.arn, changed)
    return written({ ...secret, ...changed })
  })
}

/** At once and permanently; the answer is the same where there is none, as at AWS. */
async function deleteSecret(deps: Deps, input: Static<typeof DeleteSecret>): Promise<object> {
  const secret = await deleteSecretRow(deps.database.db, input.SecretId)
  return {
    ARN: secret?.arn ?? input.SecretId,
    Name: secret?.name ?? input.SecretId,
    DeletionDate: seconds(deps.clock.now()),
  }
}

const written = (secret: SecretRow) => ({
  ARN: secret.arn,
  Name: secret.name,
  VersionId: secret.version_id,
  VersionStages: ['AWSCURRENT'],
})

const isRepeat = (deps: Deps, secret: SecretRow, versionId: string, text: string) =>
  secret.version_id === versionId && open(deps, secret) === text

function open({ sealer }: Deps, secret: SecretRow): string {
  try {
    return sealer.open(secret.sealed, contextOf(secret.arn, secret.version_id))
  } catch {
    throw new AwsError('DecryptionFailure', 'The secret cannot be decrypted with the configured keys.')
  }
}

const contextOf = (arn: string, versionId: string) => `${arn}:${versionId}`

export const sealedSecrets: SealedColumn = {
  table: 'secrets',
  column: 'sealed',
  key: ['arn', 'version_id'],
  contextOf: ({ arn = '', version_id: versionId = '' }) => contextOf(arn, versionId),
}

function requireSize(text: string): void {
  if (Buffer.byteLength(text) <= MAX_BYTES) return
  throw new AwsError('InvalidParameterException', `A secret's value must have 1 to ${MAX_BYTES} bytes.`)
}

const notFound = () =>
  new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")

/** AWS writes times as seconds since 1970 with fractions. */
const seconds = (time: Date): number => time.getTime() / 1000

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const randomSuffix = () => Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
