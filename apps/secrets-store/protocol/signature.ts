import { SignatureV4 } from '@smithy/signature-v4'
import { Hash } from '@smithy/core/serde'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import { AwsError } from './aws-error.ts'

type SignedRequest = Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'rawBytes'>

const ALGORITHM = 'AWS4-HMAC-SHA256'
const SERVICE = 'secretsmanager'
const SKEW_MS = 15 * 60_000

/**
 * Verifies AWS Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html) by
 * signing the request again: who signed, when, and that path, headers and body are those that were signed. Any region
 * is accepted, because the signature binds it. Throws {@link AwsError} with 403.
 */
export async function verifySignature(
  request: SignedRequest,
  credentials: Config['credentials'],
  now: Date,
): Promise<void> {
  const authorization = parseAuthorization(header(request, 'authorization'))
  const signedAt = timeOf(request, authorization.date, now)
  requireSignedHeaders(request, authorization.signedHeaders)
  requireBodyHash(request)
  const expected = await signatureOf(request, authorization, signedAt, credentials)
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
  /** `20260301`. */
  date: string
  region: string
  signedHeaders: string[]
  signature: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^,\s]+), *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{64})$/
const SCOPE = /^([^/]{1,128})\/(\d{8})\/([a-z0-9-]{1,40})\/([a-z0-9-]+)\/aws4_request$/

function parseAuthorization(text: string | undefined): Authorization {
  if (!text) throw refuse('MissingAuthenticationTokenException', 'Missing Authentication Token')
  const [, scope = '', headers = '', signature = ''] = AUTHORIZATION.exec(text) ?? []
  const [, accessKeyId = '', date = '', region = '', service] = SCOPE.exec(scope) ?? []
  if (service === undefined) {
    const needed = `The Authorization header must be ${ALGORITHM} with Credential, SignedHeaders and Signature.`
    throw refuse('IncompleteSignatureException', needed)
  }
  if (service !== SERVICE) {
    throw refuse('InvalidSignatureException', `Credential should be scoped to correct service: '${SERVICE}'.`)
  }
  return { accessKeyId, date, region, signedHeaders: headers.split(';'), signature }
}

/** The time in `x-amz-date`, which must be on the credential's day and within 15 minutes of ours. */
function timeOf(request: SignedRequest, date: string, now: Date): Date {
  const text = header(request, 'x-amz-date') ?? ''
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (!parts || text.slice(0, 8) !== date) {
    throw refuse('IncompleteSignatureException', "x-amz-date must be a time on the credential's day.")
  }
  const [, year, month, day, hour, minute, second] = parts
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!(Math.abs(now.getTime() - time.getTime()) <= SKEW_MS)) {
    throw refuse(
      'InvalidSignatureException',
      `Signature expired: ${text} is not within 15 minutes of our time.`,
    )
  }
  return time
}

/** The host, the time and every `x-amz-` header must be signed: they decide what the request means. */
function requireSignedHeaders(request: SignedRequest, signed: string[]): void {
  const amazon = Object.keys(request.headers).filter(name => name.startsWith('x-amz-'))
  const missing = ['host', 'x-amz-date', ...amazon].find(name => !signed.includes(name))
  if (missing) throw refuse('InvalidSignatureException', `The header ${missing} must be signed.`)
}

/** A stated hash of the body must be right: the signature is computed over the statement. */
function requireBodyHash(request: SignedRequest): void {
  const stated = header(request, 'x-amz-content-sha256')
  const hash = createHash('sha256').update(bodyOf(request)).digest('hex')
  if (stated === undefined || stated === hash) return
  throw refuse('InvalidSignatureException', 'x-amz-content-sha256 is not the hash of the body.')
}

async function signatureOf(
  request: SignedRequest,
  { region, signedHeaders }: Authorization,
  signingDate: Date,
  credentials: Config['credentials'],
): Promise<string> {
  const sha256 = Hash.bind(null, 'sha256')
  const signer = new SignatureV4({ service: SERVICE, region, credentials, sha256, applyChecksum: false })
  const { pathname, searchParams } = new URL(request.url, 'http://store')
  const { headers } = await signer.sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: 'store',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(signedHeaders.map(name => [name, header(request, name) ?? ''])),
      body: bodyOf(request),
    },
    { signingDate, signableHeaders: new Set(signedHeaders) },
  )
  return headers.authorization?.split('Signature=')[1] ?? ''
}

const bodyOf = ({ rawBytes }: SignedRequest) => rawBytes ?? Buffer.alloc(0)

const refuse = (type: ConstructorParameters<typeof AwsError>[0], message: string) =>
  new AwsError(type, message, 403)

function header({ headers }: SignedRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
