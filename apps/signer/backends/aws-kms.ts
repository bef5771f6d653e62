import { proxiedAgent } from '@windlass/service/outbound/proxy.ts'
import type { KMSClient } from '@aws-sdk/client-kms'
import type { KmsSettings } from '../config.ts'
import type { Backend } from './backend.ts'

/** Both attempts take less than those who ask for a signature wait. */
const WITHIN = { connectionTimeout: 2_000, requestTimeout: 4_000, throwOnRequestTimeout: true }
/** The DER form of an Ed25519 public key (RFC 8410) is this head and 32 bytes. */
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** Keys in AWS KMS (`ECC_NIST_EDWARDS25519`), which never gives them away. */
export function createKms(settings: KmsSettings): Backend {
  let loading: Promise<{ kms: typeof import('@aws-sdk/client-kms'); client: KMSClient }> | undefined
  const connect = () =>
    (loading ??= import('@aws-sdk/client-kms').then(kms => ({
      kms,
      client: new kms.KMSClient({
        ...settings,
        maxAttempts: 2,
        requestHandler: { ...WITHIN, httpsAgent: proxiedAgent() },
      }),
    })))
  return {
    create: async label => {
      const { kms, client } = await connect()
      const alias = `alias/windlass/${label.replace(/[^\w/-]/g, '-')}`
      const reference = (await findKey(alias)) ?? (await createKey(alias, label))
      const { PublicKey = new Uint8Array() } = await client.send(
        new kms.GetPublicKeyCommand({ KeyId: reference }),
      )
      const der = Buffer.from(PublicKey)
      if (der.length !== 44 || !der.subarray(0, 12).equals(PUBLIC_HEAD)) {
        throw new Error(`${alias} in AWS KMS is not an Ed25519 key`)
      }
      return { publicKey: der.subarray(12), reference }
    },
    sign: async ({ reference }, bytes) => {
      const { kms, client } = await connect()
      const { Signature = new Uint8Array() } = await client.send(
        new kms.SignCommand({
          KeyId: reference,
          Message: bytes,
          MessageType: 'RAW',
          SigningAlgorithm: 'ED25519_SHA_512',
        }),
      )
      return Buffer.from(Signature)
    },
  }

  async function findKey(alias: string): Promise<string | undefined> {
    const { kms, client } = await connect()
    try {
      const { KeyMetadata } = await client.send(new kms.DescribeKeyCommand({ KeyId: alias }))
      return KeyMetadata?.Arn
    } catch (error) {
      if (error instanceof kms.NotFoundException) return undefined
      throw error
    }
  }

  /** The ARN of a new key, or of the one that another attempt has just given the alias to. */
  async function createKey(alias: string, label: string): Promise<string> {
    const { kms, client } = await connect()
    const { KeyMetadata } = await client.send(
      new kms.CreateKeyCommand({
        KeySpec: 'ECC_NIST_EDWARDS25519',
        KeyUsage: 'SIGN_VERIFY',
        Description: `Windlass ${label}`,
      }),
    )
    const arn = KeyMetadata?.Arn ?? ''
    try {
      await client.send(new kms.CreateAliasCommand({ AliasName: alias, TargetKeyId: arn }))
      return arn
    } catch (error) {
      if (!(error instanceof kms.AlreadyExistsException)) throw error
      return (await findKey(alias)) ?? arn
    }
  }
}
