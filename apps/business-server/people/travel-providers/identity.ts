import type { TravelProviderEntry } from '@windlass/contracts/anchor/travel-messages.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { OutboundTls } from '@windlass/service/outbound/outbound.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { createHash, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { TravelProviderRow } from '../../tables.ts'

/*
 * Certificates by which the anchor and a provider know each other: theirs by its hash, which the proxy in front tells, and the
 * anchor's own, with its key.
 */

type Own = NonNullable<TravelProviderEntry['ownCertificate']>
type Row = Pick<TravelProviderRow, 'id' | 'authority' | 'sealed_identity'>

const contextOf = (id: string) => `travel-provider:${id}`

export const sealedIdentities = sealedColumn({
  ...{ table: 'travel_providers', column: 'sealed_identity', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

export const sealIdentity = (sealer: Sealer, id: string, own: Own): Buffer =>
  sealer.seal(JSON.stringify(own), contextOf(id))

const openIdentity = (sealer: Sealer, { id, sealed_identity: sealed }: Row): Own | null =>
  sealed && (JSON.parse(sealer.open(sealed, contextOf(id))) as Own)

/** What a connection to a provider needs; undefined: nothing of its own. */
export function tlsOf(sealer: Sealer, row: Row): OutboundTls | undefined {
  const own = openIdentity(sealer, row)
  if (own === null && row.authority === null) return undefined
  return {
    ...(own && { cert: own.certificate, key: own.key }),
    ...(row.authority !== null && { ca: row.authority }),
  }
}

/** What people see of the anchor's own certificate. */
export function presentedBy(sealer: Sealer, row: Row): { sha256: string; endsOn: string } | null {
  const own = openIdentity(sealer, row)
  if (own === null) return null
  const { raw, validToDate } = new X509Certificate(own.certificate)
  return {
    sha256: createHash('sha256').update(raw).digest('hex'),
    endsOn: validToDate.toISOString().slice(0, 10),
  }
}

/** Throws `validation-failed` where no connection can be made with what is given. */
export function checkTls({ ownCertificate, authority }: TravelProviderEntry): void {
  try {
    if (ownCertificate) {
      new X509Certificate(ownCertificate.certificate)
      createSecureContext({ cert: ownCertificate.certificate, key: ownCertificate.key })
    }
  } catch {
    throw invalid('ownCertificate', 'must be a certificate as PEM and its private key')
  }
  try {
    if (authority) new X509Certificate(authority)
  } catch {
    throw invalid('authority', 'must be a certificate as PEM')
  }
}
