import { OutboundError, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import * as openid from 'openid-client'
import type { Deps } from '../deps.ts'

/** An OpenID Connect provider as we are known to it. */
export interface Provider {
  issuer: string
  clientId: string
  clientSecret: string
  /** Where it sends people back. */
  redirectUrl: string
  /** Whether a second factor that it asked for counts as ours. */
  trustsSecondFactor: boolean
}

/** What a sign-in at a provider has to bring back. */
export interface Expected {
  state: string
  nonce: string
  codeVerifier: string
}

/** Whom a provider says it signed in. */
export interface SignedIn {
  subject: string
  /** Null where it did not verify the address. */
  verifiedEmail: string | null
  /** When, if it says that a second factor was given. */
  secondFactorAt: Date | null
}

type RefusalReason =
  | 'attempt-over'
  | 'provider-unreachable'
  | 'provider-refused'
  | 'email-not-verified'
  | 'no-member'
  | 'other-person'
  | 'other-administrator'
  | 'opens-later'

export const signOnRefused = (reason: RefusalReason, detail: string): Problem =>
  new Problem('single-sign-on-refused', detail, { extensions: { reason } })

/** Where a person signs in. Throws `single-sign-on-refused`. */
export async function signInUrl(deps: Deps, provider: Provider, expected: Expected): Promise<string> {
  const configuration = await discover(deps, provider)
  const asked = {
    redirect_uri: provider.redirectUrl,
    scope: 'openid email',
    code_challenge: await openid.calculatePKCECodeChallenge(expected.codeVerifier),
    code_challenge_method: 'S256',
    state: expected.state,
    nonce: expected.nonce,
    // So that signing in again confirms who they are, also where the provider still has a session.
    ...(provider.trustsSecondFactor && { max_age: String(MAX_AGE_SECONDS) }),
  }
  try {
    // Throws for `javascript:`, which would run in the page of ours that goes there.
    return openid.buildAuthorizationUrl(configuration, asked).href
  } catch (error) {
    throw refusalOf(deps, error)
  }
}

/**
 * Exchanges the code of a callback. The library compares state, nonce, issuer, audience and times, and the signature with
 * the provider's keys. Throws `single-sign-on-refused`.
 */
export async function exchange(
  deps: Deps,
  provider: Provider,
  query: string,
  expected: Expected,
): Promise<SignedIn> {
  const configuration = await discover(deps, provider)
  const back = new URL(provider.redirectUrl)
  back.search = query
  const tokens = await openid
    .authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier: expected.codeVerifier,
      expectedState: expected.state,
      expectedNonce: expected.nonce,
      idTokenExpected: true,
    })
    .catch((error: unknown) => {
      throw refusalOf(deps, error)
    })
  const claims = tokens.claims()
  if (!claims) throw signOnRefused('provider-refused', 'The provider’s answer names nobody.')
  const { sub, email, email_verified, amr, auth_time } = claims
  // Later is none of the times that a date can hold, too.
  const isTime = typeof auth_time === 'number' && auth_time * 1_000 <= Date.now() + SKEW_MS
  const saysSecond = Array.isArray(amr) && amr.includes('mfa') && isTime
  return {
    subject: sub,
    verifiedEmail: typeof email === 'string' && email_verified === true ? email : null,
    secondFactorAt: saysSecond ? new Date(auth_time * 1_000) : null,
  }
}

/**
 * The provider's own configuration and keys. Throws `single-sign-on-refused`, also where it names another issuer: each
 * answer is compared with the one it names.
 */
export async function discover(
  deps: Deps,
  { issuer, clientId, clientSecret }: Provider,
): Promise<openid.Configuration> {
  const execute = [openid.enableNonRepudiationChecks]
  if (deps.config.deployment.local) execute.push(openid.allowInsecureRequests)
  const given = { [openid.customFetch]: fetchOf(deps.outbound), execute, timeout: 10 }
  try {
    const known = await openid.discovery(new URL(issuer), clientId, {}, authentication(clientSecret), given)
    if (new URL(known.serverMetadata().issuer).href === new URL(issuer).href) return known
    throw signOnRefused('provider-refused', 'The provider’s configuration names another issuer.')
  } catch (error) {
    throw refusalOf(deps, error)
  }
}

/** In the form, where the provider says so; in a header otherwise, which every provider takes. */
const authentication =
  (secret: string): openid.ClientAuth =>
  (server, ...rest) => {
    const takes = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const way = takes.includes('client_secret_basic') ? openid.ClientSecretBasic : openid.ClientSecretPost
    return way(secret)(server, ...rest)
  }

/** How long a confirmation counts. */
const MAX_AGE_SECONDS = 15 * 60

const SKEW_MS = 60_000
const MAX_BYTES = 256 * 1_024
const methods = ['GET', 'POST'] as const

/** Requests go where webhooks may: to no private address. */
const fetchOf =
  (outbound: Outbound): openid.CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await outbound.request(url, {
      method: methods.find(each => each === method) ?? 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      timeout: 5_000,
      maxBytes: MAX_BYTES,
    })
    const given = new Headers()
    for (const [name, value] of Object.entries(answer.headers))
      for (const each of [value].flat()) if (each !== undefined) given.append(name, each)
    return new Response(answer.text || null, { status: answer.status, headers: given })
  }

/** What it was is for the log: a stranger's server writes parts of it. */
function refusalOf({ logger }: Deps, error: unknown): Problem {
  if (error instanceof Problem) return error
  logger.warn({ err: error }, 'a provider of single sign-on was refused')
  const causes = [error, (error as Error).cause]
  return causes.some(each => each instanceof OutboundError)
    ? signOnRefused('provider-unreachable', 'The provider cannot be reached. Try again later.')
    : signOnRefused('provider-refused', 'The provider’s answer was refused. Begin again.')
}
