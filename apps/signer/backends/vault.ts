import http from 'node:http'
import https from 'node:https'
import type { VaultSettings } from '../config.ts'
import type { Backend } from './backend.ts'

/** The version of a key that signs. Vault can rotate a key; an account's key on the ledger stays the same. */
const KEY_VERSION = 1

/** Less than those who ask for a signature wait. */
const ANSWERS_WITHIN_MS = 8_000
/** The server closed a connection that was kept, just as it was used again. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE'])

interface VaultKey {
  data: { type: string; keys: Record<string, { public_key?: string }> }
}

interface VaultToken {
  data: { ttl: number; creation_ttl: number; renewable: boolean }
}

export interface Vault extends Backend {
  /** Renews the token where that is possible. Resolves to the seconds it lives, and lived at first; null: it does not end. */
  renewToken(): Promise<{ seconds: number; atFirst: number } | null>
}

/**
 * Keys in the transit secrets engine of HashiCorp Vault, which never gives them away
 * (https://developer.hashicorp.com/vault/api-docs/secret/transit).
 */
export function createVault({ address, mount, ca, token }: VaultSettings): Vault {
  const trust = ca ? { ca } : {}
  const requestOptions = { ...trust, timeout: ANSWERS_WITHIN_MS }
  const newConnection = { httpAgent: new http.Agent(), httpsAgent: new https.Agent(trust) }
  let loading: Promise<import('node-vault').client> | undefined
  const connect = async () => {
    loading ??= import('node-vault').then(({ default: vault }) =>
      vault({ apiVersion: 'v1', endpoint: address, requestOptions }),
    )
    const client = await loading
    client.token = token()
    return client
  }
  /** Each request here can be sent twice: a key is made once, and a signature is the same each time. */
  const ask = async <T>(
    send: (client: import('node-vault').client, options: object) => Promise<T>,
  ): Promise<T> => {
    try {
      return await send(await connect(), {})
    } catch (error) {
      if (!CLOSED.has(String((error as { code?: unknown }).code))) throw error
      return send(await connect(), newConnection)
    }
  }
  return {
    renewToken: async () => {
      const lookUp = async (): Promise<VaultToken['data']> => {
        const { data }: VaultToken = await ask((client, options) =>
          client.read('auth/token/lookup-self', options),
        )
        return data
      }
      let token = await lookUp()
      if (token.ttl === 0) return null
      if (token.renewable) {
        await ask((client, options) => client.write('auth/token/renew-self', {}, options))
        token = await lookUp()
      }
      return { seconds: token.ttl, atFirst: token.creation_ttl }
    },
    create: async label => {
      const reference = `windlass-${label.replace(/[^\w.-]/g, '-')}`
      // A key of that name stays as it is.
      const path = `${mount}/keys/${reference}`
      await ask((client, options) => client.write(path, { type: 'ed25519', exportable: false }, options))
      const { data }: VaultKey = await ask((client, options) => client.read(path, options))
      const publicKey = Buffer.from(data.keys[KEY_VERSION]?.public_key ?? '', 'base64')
      if (data.type !== 'ed25519' || publicKey.length !== 32) {
        throw new Error(`${reference} in Vault is not an Ed25519 key`)
      }
      return { publicKey, reference }
    },
    sign: async ({ reference }, bytes) => {
      const input = Buffer.from(bytes).toString('base64')
      const content = { input, key_version: KEY_VERSION }
      const answer = await ask((client, options) =>
        client.write(`${mount}/sign/${reference}`, content, options),
      )
      const { signature } = (answer as { data: { signature: string } }).data
      return Buffer.from(/^vault:v\d+:(.+)$/.exec(signature)?.[1] ?? '', 'base64')
    },
  }
}
