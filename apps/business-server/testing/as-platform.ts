import { PLATFORM_PROOF_HEADER, platformKey, platformProof } from '@windlass/service/http/platform-proof.ts'
import type { Server } from '@windlass/service/http/server.ts'
import type { InjectOptions } from 'fastify'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

/** For what is to be proven: {@link proveInjected} puts the proof of that request in its place. */
const BY = 'by:'

/** Headers with which the platform asks a business server, by `inject`. */
export const asPlatform = ({ summary, service }: Pick<Config['secrets'], 'summary' | 'service'>) => ({
  'x-service-secret': summary,
  [PLATFORM_PROOF_HEADER]: BY + service,
})

/** Lets `inject` prove what is asked with {@link asPlatform}. */
export function proveInjected<S extends Server>(server: S, { clock }: Pick<Deps, 'clock'>): S {
  const inject = server.app.inject.bind(server.app) as (options: InjectOptions | string) => unknown
  const proving = (options: InjectOptions | string) =>
    inject(typeof options === 'string' ? options : proven(options, clock.now()))
  return Object.assign(server, { app: Object.assign(server.app, { inject: proving }) })
}

/** The request with its proof. */
function proven(options: InjectOptions, now: Date): InjectOptions {
  const given = String(options.headers?.[PLATFORM_PROOF_HEADER] ?? '')
  if (!given.startsWith(BY)) return options
  const { method = 'GET', url, payload = '' } = options
  const headers = options.headers as Record<string, string>
  const body =
    typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  const request = { method, path: String(url), headers, body }
  const proof = platformProof(platformKey(given.slice(BY.length)), request, now)
  return { ...options, headers: { ...headers, [PLATFORM_PROOF_HEADER]: proof } }
}
