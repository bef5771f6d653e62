import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Claims of a person; `undefined` leaves one out. */
type Claims = Record<string, unknown>

interface Sent {
  claims: Claims
  /** The parameters of the authorization request. */
  asked: URLSearchParams
  /** Signs with a key that the provider does not publish. */
  forged: boolean
}

/** The second is an address of its own that has the first's name in it. */
const CONFIGURATION = new Set(['/.well-known/openid-configuration', '/.well-known/other'])

const CLIENT = { id: 'windlass', secret: 'provider-secret:+/&' }

interface Changes {
  metadata: Claims
  exchanges: number
  /** The codes that clients brought. */
  received: string[]
  /** Who has a session at it: they are sent back at once. */
  person: Claims
  /** What happens while it is asked. */
  meanwhile: (() => Promise<unknown>) | null
  /** The redirect addresses of its client; null: any. */
  registered: string[] | null
  /** Sends people elsewhere instead, as a malicious one may. */
  forward: ((asked: URLSearchParams) => string) | null
}

/** An OpenID Connect provider on this machine. `signIn` is what a person does at it: it gives the query with which they come back. */
export async function startProvider() {
  const own = await generateKeyPair('RS256')
  const strange = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, Sent>()
  const changes: Changes = {
    metadata: {},
    exchanges: 0,
    received: [],
    person: {},
    meanwhile: null,
    registered: null,
    forward: null,
  }
  let issuer = ''

  const idToken = ({ claims, asked, forged }: Sent) => {
    const now = Math.floor(Date.now() / 1_000)
    const all = {
      iss: issuer,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce: asked.get('nonce'),
      ...claims,
    }
    return new SignJWT(all)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(forged ? strange.privateKey : own.privateKey)
  }
  const exchange = async (request: IncomingMessage): Promise<[number, object]> => {
    changes.exchanges++
    await changes.meanwhile?.()
    const form = new URLSearchParams(await textOf(request))
    changes.received.push(form.get('code') ?? '')
    const sent = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!isClient(request.headers.authorization)) return [401, { error: 'invalid_client' }]
    if (!sent || sent.asked.get('code_challenge') !== proof) return [400, { error: 'invalid_grant' }]
    if (form.get('redirect_uri') !== sent.asked.get('redirect_uri')) return [400, { error: 'invalid_grant' }]
    return [200, { access_token: 'a', token_type: 'Bearer', id_token: await idToken(sent) }]
  }
  const signIn = (url: string, claims: Claims, { forged = false } = {}): string => {
    const asked = new URL(url).searchParams
    const code = randomUUID()
    codes.set(code, { claims: { email_verified: true, ...claims }, asked, forged })
    const saysIssuer = changes.metadata['authorization_response_iss_parameter_supported'] !== false
    const back = { code, state: asked.get('state') ?? '', ...(saysIssuer && { iss: issuer }) }
    return new URLSearchParams(back).toString()
  }
  const authorize = (url: string): [number, object, string?] => {
    const asked = new URL(url).searchParams
    if (changes.forward) return [302, {}, changes.forward(asked)]
    const address = asked.get('redirect_uri') ?? ''
    if (changes.registered && !changes.registered.includes(address)) return [400, {}]
    return [302, {}, `${address}?${signIn(url, changes.person)}`]
  }
  const answerTo = async (request: IncomingMessage): Promise<[number, object, string?]> => {
    if (request.url?.startsWith('/authorize?')) return authorize(`${issuer}${request.url}`)
    if (request.url === '/jwks') return [200, { keys: [jwk] }]
    if (request.url === '/token') return exchange(request)
    if (!CONFIGURATION.has(request.url ?? '')) return [404, {}]
    return [
      200,
      {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...changes.metadata,
      },
    ]
  }
  const server = createServer((request, response) => {
    void answerTo(request).then(([status, body, location]) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
        .end(JSON.stringify(body)),
    )
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    client: { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
    changes,
    signIn,
    close: () => new Promise(resolve => server.close(resolve)),
  }
}

/** RFC 6749 §2.3.1: both are encoded before they are joined. */
function isClient(header: string | undefined): boolean {
  const [id, secret] = Buffer.from(header?.replace(/^Basic /, '') ?? '', 'base64')
    .toString()
    .split(':')
    .map(text => new URLSearchParams(`t=${text}`).get('t'))
  return id === CLIENT.id && secret === CLIENT.secret
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
