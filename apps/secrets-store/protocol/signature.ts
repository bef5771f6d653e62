import { sameSecret } from '@windlass/service/client-address.ts'
import { createHash, createHmac } from 'node:crypto'
import { Refusal } from './refusal.ts'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

export interface SignedRequest {
  method: string
  /** Path and query as they came in. */
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
const SERVICE = 'secretsmanager'
const SKEW_MS = 15 * 60_000

/**
 * Checks AWS Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html):
 * who signed, when, and that method, path, headers and body are those that were signed. Any region is accepted,
 * because the signature binds it. Throws {@link Refusal} with 403.
 */
export function verifySignature(request: SignedRequest, credentials: Credentials, now: Date): void {
  const authorization = parseAuthorization(header(request, 'authorization'))
  const time = signedAt(request, authorization.date, now)
  demandSignedHeaders(request, authorization.signedHeaders)
  const bodyHash = hashOfBody(request)
  const expected = signatureOf(request, authorization, time, bodyHash, credentials.secretAccessKey)
  const known = sameSecret(authorization.accessKeyId, credentials.accessKeyId)
  const right = sameSecret(authorization.signature, expected)
  if (!known) {
    throw refuse('UnrecognizedClientException', 'The security token included in the request is invalid.')
  }
  if (!right) {
    throw refuse(
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
    )
  }
}

interface Authorization {
  accessKeyId: string
  date: string
  region: string
  signedHeaders: string[]
  signature: string
}

function parseAuthorization(text: string | undefined): Authorization {
  if (!text) throw refuse('MissingAuthenticationTokenException', 'Missing Authentication Token')
  if (!text.startsWith(`${ALGORITHM} `)) {
    throw refuse('IncompleteSignatureException', `The Authorization header must use ${ALGORITHM}.`)
  }
  const parts = new Map(
    text
      .slice(ALGORITHM.length)
      .split(',')
      .map(part => {
        const [name = '', ...value] = part.trim().split('=')
        return [name, value.join('=')] as const
      }),
  )
  const scope = /^([^/\s]{1,128})\/(\d{8})\/([a-z0-9-]{1,40})\/([a-z0-9-]+)\/aws4_request$/.exec(
    parts.get('Credential') ?? '',
  )
  const signature = parts.get('Signature') ?? ''
  const signedHeaders = (parts.get('SignedHeaders') ?? '').split(';')
  if (!scope || !/^[0-9a-f]{64}$/.test(signature) || signedHeaders.some(name => !/^[a-z0-9-]+$/.test(name))) {
    throw refuse(
      'IncompleteSignatureException',
      'The Authorization header needs Credential, SignedHeaders and Signature.',
    )
  }
  const [, accessKeyId = '', date = '', region = '', service] = scope
  if (service !== SERVICE) {
    throw refuse('InvalidSignatureException', `Credential should be scoped to correct service: '${SERVICE}'.`)
  }
  return { accessKeyId, date, region, signedHeaders, signature }
}

/** The time in `x-amz-date`, which must be the credential's day and within 15 minutes of ours. */
function signedAt(request: SignedRequest, date: string, now: Date): string {
  const text = header(request, 'x-amz-date') ?? ''
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (!parts || text.slice(0, 8) !== date) {
    throw refuse('IncompleteSignatureException', "x-amz-date must be a time on the credential's day.")
  }
  const [, year, month, day, hour, minute, second] = parts
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!(Math.abs(now.getTime() - time) <= SKEW_MS)) {
    throw refuse(
      'InvalidSignatureException',
      `Signature expired: ${text} is not within 15 minutes of our time.`,
    )
  }
  return text
}

/** What the request means must be signed: the host, the time, and every `x-amz-` header it carries. */
function demandSignedHeaders(request: SignedRequest, signed: string[]): void {
  const amazon = Object.keys(request.headers).filter(name => name.startsWith('x-amz-'))
  const missing = ['host', 'x-amz-date', ...amazon].find(name => !signed.includes(name))
  if (missing) throw refuse('InvalidSignatureException', `The header ${missing} must be signed.`)
}

function hashOfBody(request: SignedRequest): string {
  const hash = sha256(request.body)
  const claimed = header(request, 'x-amz-content-sha256')
  if (claimed !== undefined && claimed !== hash) {
    throw refuse('InvalidSignatureException', 'x-amz-content-sha256 is not the hash of the body.')
  }
  return hash
}

function signatureOf(
  request: SignedRequest,
  { date, region, signedHeaders }: Authorization,
  time: string,
  bodyHash: string,
  secretAccessKey: string,
): string {
  const [path = '/', query = ''] = splitOnce(request.url, '?')
  const canonical = [
    request.method,
    encodePath(path),
    canonicalQuery(query),
    ...signedHeaders.map(name => `${name}:${canonicalValue(header(request, name) ?? '')}`),
    '',
    signedHeaders.join(';'),
    bodyHash,
  ].join('\n')
  const scope = `${date}/${region}/${SERVICE}/aws4_request`
  const text = [ALGORITHM, time, scope, sha256(Buffer.from(canonical))].join('\n')
  const key = [date, region, SERVICE, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`)
  return hmac(key, text).toString('hex')
}

const encodePath = (path: string) => path.split('/').map(encode).join('/')

const canonicalQuery = (query: string) =>
  [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')

/** RFC 3986: all but unreserved characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

const canonicalValue = (value: string) => value.trim().replace(/ +/g, ' ')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const refuse = (type: ConstructorParameters<typeof Refusal>[0], message: string) =>
  new Refusal(type, message, 403)

function header(request: SignedRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
