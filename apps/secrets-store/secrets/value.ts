import type { Sealer } from '@windlass/service/seal.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { Version } from './table.ts'

/** A secret's value as AWS writes it: text, or bytes in base64. */
export type Value = { kind: 'string' | 'binary'; text: string }

const MAX_BYTES = 65_536

/** The value in a request; `undefined` where it has none. Throws where it has both, or one that is too long. */
export function valueOf(input: { SecretString?: string; SecretBinary?: string }): Value | undefined {
  const { SecretString, SecretBinary } = input
  if (SecretString !== undefined && SecretBinary !== undefined) {
    throw new Refusal('InvalidParameterException', "You can't specify both SecretString and SecretBinary.")
  }
  if (SecretString !== undefined) return checked({ kind: 'string', text: SecretString })
  if (SecretBinary === undefined) return undefined
  const bytes = Buffer.from(SecretBinary, 'base64')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(SecretBinary) || SecretBinary.length % 4 !== 0) {
    throw new Refusal('InvalidParameterException', 'SecretBinary must be base64.')
  }
  return checked({ kind: 'binary', text: bytes.toString('base64') })
}

function checked(value: Value): Value {
  const bytes = Buffer.byteLength(value.text, value.kind === 'string' ? 'utf8' : 'base64')
  if (bytes === 0 || bytes > MAX_BYTES) {
    throw new Refusal('InvalidParameterException', `A secret's value must have 1 to ${MAX_BYTES} bytes.`)
  }
  return value
}

export const valueFields = (value: Value) =>
  value.kind === 'string' ? { SecretString: value.text } : { SecretBinary: value.text }

const contextOf = (arn: string, versionId: string) => `${arn}:${versionId}`

export function sealValue(sealer: Sealer, arn: string, versionId: string, value: Value): Buffer {
  return sealer.seal(value.text, contextOf(arn, versionId))
}

/** Throws `DecryptionFailure` where no configured key opens it. */
export function openValue(sealer: Sealer, version: Version): Value {
  try {
    return {
      kind: version.kind,
      text: sealer.open(version.sealed, contextOf(version.arn, version.version_id)),
    }
  } catch {
    throw new Refusal('DecryptionFailure', 'The secret cannot be decrypted with the configured keys.')
  }
}
