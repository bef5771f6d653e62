import { proxyOf } from '@windlass/service/outbound/proxy.ts'
import { Agent, ProxyAgent, type Dispatcher, interceptors, request } from 'undici'
import type { VaultSettings } from '../config.ts'
import type { Backend } from './backend.ts'

/** The version of a key that signs. Vault can rotate a key; an account's key on the ledger stays the same. */
const KEY_VERSION = 1

/** Less than those who ask for a signature wait. */
const ANSWERS_WITHIN_MS = 8_000
/** The server closed a connection that was kept, just as it was used again. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

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
  const options = { connect: ca ? { ca } : {}, maxResponseSize: 1 << 20 }
  const requireTls: Dispatcher.DispatcherComposeInterceptor = dispatch => (sent, handler) => {
    if (address.startsWith('https:') && !String(sent.origin).startsWith('https:'))
      throw new Error('Vault named an address without TLS')
    return dispatch(sent, handler)
  }
  // A node of a cluster that cannot forward a request names the one that serves.
  const followed = (agent: Agent | ProxyAgent) =>
    agent.compose(requireTls, interceptors.redirect({ maxRedirections: 1 }))
  const proxy = proxyOf(address)
  const connectBy = (more: { pipelining?: 0 }): Agent | ProxyAgent =>
    proxy
      ? new ProxyAgent({
          ...options,
          ...more,
          uri: proxy.href,
          requestTls: options.connect,
          proxyTunnel: true,
        })
      : new Agent({ ...options, ...more })
  const kept = followed(connectBy({}))
  const connectingAgain = followed(connectBy({ pipelining: 0 }))

  const send = async (dispatcher: typeof kept, path: string, content?: object): Promise<unknown> => {
    const { statusCode, body } = await request(`${address}/v1/${path}`, {
      dispatcher,
      method: content ? 'POST' : 'GET',
      headers: { 'x-vault-token': token(), 'content-type': 'application/json' },
      body: content ? JSON.stringify(content) : null,
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`Vault answered ${statusCode} to ${path}: ${text.slice(0, 500)}`)
    return text === '' ? null : JSON.parse(text)
  }
  /** Writes where there is content. Each request here can be sent twice: a key is made once, a signature is the same each time. */
  const ask = async <T>(path: string, content?: object): Promise<T> => {
    try {
      return (await send(kept, path, content)) as T
    } catch (error) {
      if (!CLOSED.has(String((error as { code?: unknown }).code))) throw error
      return (await send(connectingAgain, path, content)) as T
    }
  }
  return {
    renewToken: async () => {
      const lookUp = async () => (await ask<VaultToken>('auth/token/lookup-self')).data
      let token = await lookUp()
      if (token.ttl === 0) return null
      if (token.renewable) {
        await ask('auth/token/renew-self', {})
        token = await lookUp()
      }
      return { seconds: token.ttl, atFirst: token.creation_ttl }
    },
    create: async label => {
      const reference = `windlass-${label.replace(/[^\w.-]/g, '-')}`
      // A key of that name stays as it is.
      const path = `${mount}/keys/${reference}`
      await ask(path, { type: 'ed25519', exportable: false })
      const { data } = await ask<VaultKey>(path)
      const publicKey = Buffer.from(data.keys[KEY_VERSION]?.public_key ?? '', 'base64')
      if (data.type !== 'ed25519' || publicKey.length !== 32) {
        throw new Error(`${reference} in Vault is not an Ed25519 key`)
      }
      return { publicKey, reference }
    },
    sign: async ({ reference }, bytes) => {
      const input = Buffer.from(bytes).toString('base64')
      const content = { input, key_version: KEY_VERSION }
      const { data } = await ask<{ data: { signature: string } }>(`${mount}/sign/${reference}`, content)
      return Buffer.from(/^vault:v\d+:(.+)$/.exec(data.signature)?.[1] ?? '', 'base64')
    },
  }
}
