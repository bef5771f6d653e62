import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

/** A key store that stands in for a real one, and what it was asked. */
export interface StoreStandIn {
  url: string
  /** Names of the keys it has made. */
  keys: string[]
  /** It answers every request with this status, not at all, or closes a connection that is used again; null: as it should. */
  fault: number | 'silent' | 'closes' | null
  /** It signs with a key of its own instead of the one that was named. */
  wrongKey: boolean
  stop(): Promise<void>
}

interface Pair {
  publicKey: KeyObject
  privateKey: KeyObject
}

type Answer = { status: number; body?: unknown }
type Serve = (request: {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Record<
    | 'type'
    | 'input'
    | 'KeyId'
    | 'KeySpec'
    | 'KeyUsage'
    | 'AliasName'
    | 'TargetKeyId'
    | 'SigningAlgorithm'
    | 'MessageType'
    | 'Message',
    string
  >
}) => Answer

async function startStore(
  serve: (store: StoreStandIn) => Serve,
  tls?: { key: string; cert: string },
): Promise<StoreStandIn> {
  const store: StoreStandIn = { url: '', keys: [], fault: null, wrongKey: false, stop: async () => {} }
  const act = serve(store)
  const used = new WeakSet<Socket>()
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    if (store.fault === 'silent') return
    if (store.fault === 'closes' && used.has(request.socket)) return void request.socket.destroy()
    used.add(request.socket)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = request
    const asked = { method, path: url, headers, body: text ? JSON.parse(text) : {} }
    const { status, body } =
      typeof store.fault === 'number' ? { status: store.fault, body: { errors: ['fault'] } } : act(asked)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }
  const server = tls ? https.createServer(tls, listener) : createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  store.url = `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${(server.address() as AddressInfo).port}`
  store.stop = () =>
    new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return store
}

/**
 * Vault's transit secrets engine as far as the signer asks it, by its documentation
 * (https://developer.hashicorp.com/vault/api-docs/secret/transit): create, read and sign.
 */
export function startVaultStandIn(token: string, tls?: { key: string; cert: string }): Promise<StoreStandIn> {
  const pairs = new Map<string, Pair>()
  const serve =
    (store: StoreStandIn): Serve =>
    ({ method, path, headers, body }) => {
      if (headers['x-vault-token'] !== token) return { status: 403, body: { errors: ['permission denied'] } }
      const [, verb, name = ''] = /^\/v1\/transit\/(keys|sign)\/([\w.-]+)$/.exec(path) ?? []
      const pair = pairs.get(name)
      const writes = method === 'POST' || method === 'PUT'
      if (verb === 'keys' && writes) {
        if (body.type !== 'ed25519') return { status: 400, body: { errors: ['unknown key type'] } }
        if (!pair) {
          pairs.set(name, generateKeyPairSync('ed25519'))
          store.keys.push(name)
        }
        return { status: 204 }
      }
      if (!pair) return { status: 404, body: { errors: [] } }
      if (verb === 'keys') {
        const key = {
          creation_time: new Date().toISOString(),
          name: 'ed25519',
          public_key: rawOf(pair).toString('base64'),
        }
        return { status: 200, body: { data: { type: 'ed25519', latest_version: 1, keys: { '1': key } } } }
      }
      const signature = signed(store, pair, body.input)
      return { status: 200, body: { data: { signature: `vault:v1:${signature}`, key_version: 1 } } }
    }
  return startStore(serve, tls)
}

/** AWS KMS as far as the signer asks it (AWS JSON 1.1), by its API reference. */
export function startKmsStandIn(): Promise<StoreStandIn> {
  const pairs = new Map<string, Pair>()
  const aliases = new Map<string, string>()
  const missing: Answer = { status: 400, body: { __type: 'NotFoundException', message: 'not found' } }
  return startStore(store => ({ headers, body }) => {
    if (!/^AWS4-HMAC-SHA256 Credential=/.test(headers.authorization ?? '')) {
      return { status: 400, body: { __type: 'MissingAuthenticationToken' } }
    }
    const arn = aliases.get(body.KeyId) ?? body.KeyId
    const pair = pairs.get(arn)
    switch (headers['x-amz-target']) {
      case 'TrentService.CreateKey': {
        if (body.KeySpec !== 'ECC_NIST_EDWARDS25519' || body.KeyUsage !== 'SIGN_VERIFY') {
          return { status: 400, body: { __type: 'ValidationException' } }
        }
        const KeyId = randomUUID()
        const Arn = `arn:aws:kms:eu-west-1:111122223333:key/${KeyId}`
        pairs.set(Arn, generateKeyPairSync('ed25519'))
        return { status: 200, body: { KeyMetadata: { KeyId, Arn } } }
      }
      case 'TrentService.CreateAlias':
        if (!/^alias\/[\w/-]+$/.test(body.AliasName))
          return { status: 400, body: { __type: 'InvalidAliasNameException' } }
        if (aliases.has(body.AliasName)) return { status: 400, body: { __type: 'AlreadyExistsException' } }
        aliases.set(body.AliasName, body.TargetKeyId)
        store.keys.push(body.AliasName)
        return { status: 200 }
      case 'TrentService.DescribeKey':
        return pair ? { status: 200, body: { KeyMetadata: { KeyId: arn, Arn: arn } } } : missing
      case 'TrentService.GetPublicKey':
        if (!pair) return missing
        return { status: 200, body: { PublicKey: derOf(pair).toString('base64') } }
      case 'TrentService.Sign':
        if (!pair) return missing
        if (body.SigningAlgorithm !== 'ED25519_SHA_512' || body.MessageType !== 'RAW') {
          return { status: 400, body: { __type: 'ValidationException' } }
        }
        return { status: 200, body: { Signature: signed(store, pair, body.Message) } }
      default:
        return { status: 400, body: { __type: 'UnknownOperationException' } }
    }
  })
}

const derOf = ({ publicKey }: Pair): Buffer => publicKey.export({ format: 'der', type: 'spki' })
const rawOf = (pair: Pair): Buffer => derOf(pair).subarray(12)

function signed({ wrongKey }: StoreStandIn, pair: Pair, base64: string): string {
  const { privateKey } = wrongKey ? generateKeyPairSync('ed25519') : pair
  return sign(null, Buffer.from(base64, 'base64'), privateKey).toString('base64')
}
