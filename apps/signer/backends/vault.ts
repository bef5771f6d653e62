import type { VaultSettings } from '../config.ts'
import type { Backend } from './backend.ts'

/** The version of a key that signs. Vault can rotate a key; an account's key on the ledger stays the same. */
const KEY_VERSION = 1

interface VaultKey {
  data: { type: string; keys: Record<string, { public_key?: string }> }
}

/**
 * Keys in the transit secrets engine of HashiCorp Vault, which never gives them away
 * (https://developer.hashicorp.com/vault/api-docs/secret/transit).
 */
export function createVault({ address, mount, token }: VaultSettings): Backend {
  let loading: Promise<import('node-vault').client> | undefined
  const connect = async () => {
    loading ??= import('node-vault').then(({ default: vault }) =>
      vault({ apiVersion: 'v1', endpoint: address }),
    )
    const client = await loading
    client.token = token()
    return client
  }
  return {
    create: async label => {
      const client = await connect()
      const reference = `windlass-${label.replace(/[^\w.-]/g, '-')}`
      // A key of that name stays as it is.
      await client.write(`${mount}/keys/${reference}`, { type: 'ed25519', exportable: false })
      const { data }: VaultKey = await client.read(`${mount}/keys/${reference}`)
      const publicKey = Buffer.from(data.keys[KEY_VERSION]?.public_key ?? '', 'base64')
      if (data.type !== 'ed25519' || publicKey.length !== 32) {
        throw new Error(`${reference} in Vault is not an Ed25519 key`)
      }
      return { publicKey, reference }
    },
    sign: async ({ reference }, bytes) => {
      const client = await connect()
      const input = Buffer.from(bytes).toString('base64')
      const answer = await client.write(`${mount}/sign/${reference}`, { input, key_version: KEY_VERSION })
      const { signature } = (answer as { data: { signature: string } }).data
      return Buffer.from(/^vault:v\d+:(.+)$/.exec(signature)?.[1] ?? '', 'base64')
    },
  }
}
