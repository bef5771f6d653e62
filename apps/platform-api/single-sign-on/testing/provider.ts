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

const CLIENT = { id: 'windlass', secret: 'provider-secret:+/&' }

/** An OpenID Connect provider on this machine. `signIn` is what a person does at it: it gives the query with which they come back. */
export async function startProvider() {
  const own = await generateKeyPair('RS256')
  const strange = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, Sent>()
  const changes: { metadata: Claims; exchanges: number } = { metadata: {}, exchanges: 0 }
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
    const form = new URLSearchParams(await textOf(request))
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
  const answerTo = async (request: IncomingMessage): Promise<[number, object]> => {
    if (request.url === '/jwks') return [200, { keys: [jwk] }]
    if (request.url === '/token') return exchange(request)
    if (request.url !== '/.well-known/openid-configuration') return [404, {}]
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
    void answerTo(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    client: { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
    changes,
    signIn(url: string, claims: Claims, { forged = false } = {}): string {
      const asked = new URL(url).searchParams
      const code = randomUUID()
      codes.set(code, { claims: { email_verified: true, ...claims }, asked, forged })
      return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer }).toString()
    },
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
