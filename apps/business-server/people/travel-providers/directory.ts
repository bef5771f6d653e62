import { countries } from '@windlass/contracts/countries.ts'
import type { TravelProvider, TravelProviderEntry } from '@windlass/contracts/anchor/travel-messages.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { StrKey } from '@stellar/stellar-sdk/base'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { OutboundTls } from '@windlass/service/outbound/outbound.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { bindFact, type FactKind, forgetFact, isFactBound } from '../../money/bound-facts/bound-facts.ts'
import type { TravelProviderRow, Tables } from '../../tables.ts'
import { checkTls, presentedBy, sealIdentity, tlsOf } from './identity.ts'
import { urlOfTravelAddress } from './travel-address.ts'

const MOST = 1_000

const formOf = (row: TravelProviderRow): TravelProvider => ({
  ...{ clientCertificates: row.client_certificates, authority: row.authority },
  ...{ id: row.id, name: row.name, lei: row.lei, country: row.country, licence: row.licence },
  ...{ agreedOn: row.agreed_on, travelAddress: row.travel_address, domains: row.domains },
  ...{ accounts: row.accounts, by: row.by, at: row.at.toISOString() },
})

const rows = (db: Db<Tables>) =>
  db
    .selectFrom('travel_providers')
    .selectAll()
    .select(sql<string | null>`to_char(agreed_on, 'YYYY-MM-DD')`.as('agreed_on'))

async function listProviders(db: Db<Tables>): Promise<TravelProvider[]> {
  return (await rows(db).orderBy('name').orderBy('id').limit(MOST).execute()).map(formOf)
}

/** As {@link listProviders}, with the anchor's own certificates towards them. */
export async function listDirectory({
  database: { db },
  sealer,
}: Pick<Deps, 'database' | 'sealer'>): Promise<TravelProvider[]> {
  const found = await rows(db).orderBy('name').orderBy('id').limit(MOST).execute()
  return found.map(row => ({ ...formOf(row), presents: presentedBy(sealer, row) }))
}

/**
 * A provider as people entered it, and how the anchor and it know each other's servers (undefined: as all do); null: there is
 * none, or nothing proves that people entered it so. Locked while it is verified, so that nothing else is read.
 */
export function findEntered(
  deps: Pick<Deps, 'database' | 'sealer' | 'binder'>,
  id: string,
): Promise<{ provider: TravelProvider; tls: OutboundTls | undefined } | null> {
  return deps.database.db.transaction().execute(async tx => {
    const row = await rows(tx).where('id', '=', id).forShare().executeTakeFirst()
    if (!row || !(await isFactBound(deps, tx, enteredProviders, id))) return null
    return { provider: formOf(row), tls: tlsOf(deps.sealer, row) }
  })
}

export async function findProvider(db: Db<Tables>, id: string): Promise<TravelProvider | null> {
  const row = isUuid(id) ? await rows(db).where('id', '=', id).executeTakeFirst() : undefined
  return row ? formOf(row) : null
}

/** The provider that holds a wallet for its customers: by its account on the ledger, else by the wallet's client domain. */
export async function providerOf(
  db: Db<Tables>,
  { account, clientDomain }: { account: string; clientDomain: string | null },
): Promise<TravelProvider | null> {
  const base = baseAccount(account)
  const row = await rows(db)
    .where(sql<boolean>`(${base} = any(accounts) or ${clientDomain}::text = any(domains))`)
    .orderBy(sql`${base} = any(accounts)`, 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ? formOf(row) : null
}

/** The provider whose travel address has this host; null: none, or what is given is no address. */
export async function providerAt(db: Db<Tables>, url: string): Promise<TravelProvider | null> {
  const host = URL.parse(url)?.host
  if (!host) return null
  const found = await listProviders(db)
  return found.find(each => hostOf(each.travelAddress) === host) ?? null
}

/** The host of a travel address; null: it is none. */
export const hostOf = (address: string | null): string | null =>
  URL.parse(urlOfTravelAddress(address ?? '') ?? '')?.host ?? null

/** Enters a provider, or changes one. Throws `validation-failed`. */
export async function putProvider(
  deps: Pick<Deps, 'database' | 'clock' | 'sealer' | 'binder'>,
  id: string,
  { by, ...entry }: TravelProviderEntry & { by: string },
): Promise<TravelProvider> {
  const {
    database: { db },
    clock,
    sealer,
  } = deps
  if (!isUuid(id)) throw invalid('id', 'must be a UUID')
  if (![...countries.values()].includes(entry.country)) throw invalid('country', 'is no country')
  if (entry.travelAddress !== null && urlOfTravelAddress(entry.travelAddress) === null)
    throw invalid('travelAddress', 'is no travel address: it begins with ta and ends with a checksum')
  if (entry.accounts.some(account => !StrKey.isValidEd25519PublicKey(account)))
    throw invalid('accounts', 'must be accounts (G…)')
  checkTls(entry)
  const others = (await listProviders(db)).filter(each => each.id !== id)
  if (others.length >= MOST) throw invalid('id', `is one too many: there are ${MOST} providers`)
  const host = hostOf(entry.travelAddress)
  if (host !== null && others.some(each => hostOf(each.travelAddress) === host))
    throw invalid('travelAddress', 'has the host of another provider, from whom inquiries would come')
  const row = {
    ...{ name: entry.name, lei: entry.lei, country: entry.country, licence: entry.licence },
    ...{ agreed_on: entry.agreedOn, travel_address: entry.travelAddress, domains: entry.domains },
    ...{ accounts: entry.accounts, by, at: clock.now(), ...tlsColumns(sealer, id, entry) },
  }
  await db.transaction().execute(async tx => {
    await tx
      .insertInto('travel_providers')
      .values({ id, ...row })
      .onConflict(conflict => conflict.column('id').doUpdateSet(row))
      .execute()
    await bindFact(deps, tx, enteredProviders, id)
  })
  const kept = await rows(db).where('id', '=', id).executeTakeFirstOrThrow()
  return { ...formOf(kept), presents: presentedBy(sealer, kept) }
}

/** Whom people entered: names and accounts of customers are sent there (docs/adr/0203). */
export const enteredProviders: FactKind = {
  kind: 'travel-provider',
  rowOf: async (_, tx, id) => {
    const row = await rows(tx).where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const lists = [row.domains, row.accounts, row.client_certificates].map(each => JSON.stringify(each))
    return [row.name, row.lei, row.country, row.travel_address, row.authority, row.by, ...lists]
  },
}

/** What is not said stays as it was. */
const tlsColumns = (
  sealer: Sealer,
  id: string,
  { clientCertificates, authority, ownCertificate: own }: TravelProviderEntry,
) => ({
  ...(clientCertificates !== undefined && { client_certificates: clientCertificates }),
  ...(authority !== undefined && { authority }),
  ...(own !== undefined && { sealed_identity: own && sealIdentity(sealer, id, own) }),
})

/** Whether a message comes from the provider, as far as its certificates say. */
export const hasCertificateOf = (
  { clientCertificates: theirs = [] }: Pick<TravelProvider, 'clientCertificates'>,
  given: string | null,
): boolean => theirs.length === 0 || (given !== null && theirs.includes(given))

/** Throws `not-found`. */
export async function deleteProvider(db: Db<Tables>, id: string): Promise<void> {
  if (isUuid(id)) await forgetFact(db, enteredProviders, id)
  const { numDeletedRows } = isUuid(id)
    ? await db.deleteFrom('travel_providers').where('id', '=', id).executeTakeFirst()
    : { numDeletedRows: 0n }
  if (numDeletedRows === 0n) throw new Problem('not-found', 'There is no provider with this id.')
}
