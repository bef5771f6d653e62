import type { Ingress } from '@windlass/service/outbound/outbound.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import { siteOf } from '@windlass/service/http/site.ts'
import { createHash } from 'node:crypto'
import { demandDatabase } from '../database/demand.ts'
import type { RegistryDeps } from '../registry/deps.ts'
import type { Entry } from '../registry/entry.ts'
import { putExternal } from '../registry/register.ts'
import { walkAsWallet, type StepResult, type WalkDeps } from './walk.ts'

/** What the registration of external anchors is given. */
export interface ExternalDeps extends RegistryDeps, WalkDeps {
  config: RegistryDeps['config'] & {
    externalAnchors: number
    externalAnchorsPerSite: number
    networkPassphrase?: string
    outbound: { ingress?: Ingress }
  }
  /** Registrations of one client. */
  externalRate: Rate
}

/**
 * Registers an anchor of another platform by its home domain, or reads it again. It needs no permission and no
 * key of ours: the anchor's own SEP-10 server proves its SIGNING_KEY by a challenge that it signs for an account made
 * for this. Throws `external-anchor-refused`, `too-many-requests`.
 */
export async function registerExternal(
  deps: ExternalDeps,
  homeDomain: string,
  client: string,
): Promise<{ entry: Entry; isNew: boolean; steps: StepResult[] }> {
  demandDatabase(deps)
  const domain = homeDomain.toLowerCase()
  if (deps.config.externalAnchors === 0) throw refused('This registry takes no anchors of other platforms.')
  if (isOurs(deps, domain))
    throw refused(`${domain} belongs to this platform, which registers its own anchors.`)
  await deps.externalRate.demand(client)
  const { networkPassphrase } = deps.config
  const walked = { domain, signingKey: null, ...(networkPassphrase ? { networkPassphrase } : {}) }
  const { available, failure, steps, offer, signingKey } = await walkAsWallet(deps, walked)
  if (!available || !offer || signingKey === null) {
    const at = steps.find(({ ok }) => !ok)
    throw refused(
      `A wallet could not use ${domain}: ${at ? `${at.step}: ` : ''}${failure}. Correct it, then register again.`,
    )
  }
  const anchor = { id: idOf(domain), domain, signingKey, offer }
  const { externalAnchors: total, externalAnchorsPerSite: perSite } = deps.config
  const site = siteOf(domain)
  const put = await putExternal(deps, anchor, { total, perSite, isOfSite: other => siteOf(other) === site })
  if (put === 'registry-full')
    throw refused('The registry has as many anchors of other platforms as it takes.')
  if (put === 'site-full')
    throw refused(`The registry has as many anchors of ${site} as it takes of one domain.`)
  return { ...put, steps }
}

/** The same for a domain at every registration. */
const idOf = (domain: string): string =>
  `external-${createHash('sha256').update(domain).digest('hex').slice(0, 24)}`

function isOurs({ index, config }: ExternalDeps, domain: string): boolean {
  const suffix = config.outbound.ingress?.suffix
  if (suffix && domain.replace(/:\d+$/, '').endsWith(`.${suffix}`)) return true
  return [...index.entries()].some(entry => entry.external === null && entry.domain === domain)
}

const refused = (detail: string) => new Problem('external-anchor-refused', detail)
