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

/** How the anchor and a provider know each other's servers; undefined: as all do. */
export async function tlsOfProvider(
  { database: { db }, sealer }: Pick<Deps, 'database' | 'sealer'>,
  id: string,
): Promise<OutboundTls | undefined> {
  const row = await rows(db).where('id', '=', id).executeTakeFirst()
  return row && tlsOf(sealer, row)
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
const hostOf = (address: string | null): string | null =>
  URL.parse(urlOfTravelAddress(address ?? '') ?? '')?.host ?? null

/** Enters a provider, or changes one. Throws `validation-failed`. */
export async function putProvider(
  { database: { db }, clock, sealer }: Pick<Deps, 'database' | 'clock' | 'sealer'>,
  id: string,
  { by, ...entry }: TravelProviderEntry & { by: string },
): Promise<TravelProvider> {
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
  await db
    .insertInto('travel_providers')
    .values({ id, ...row })
    .onConflict(conflict => conflict.column('id').doUpdateSet(row))
    .execute()
  const kept = await rows(db).where('id', '=', id).executeTakeFirstOrThrow()
  return { ...formOf(kept), presents: presentedBy(sealer, kept) }
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
  const { numDeletedRows } = isUuid(id)
    ? await db.deleteFrom('travel_providers').where('id', '=', id).executeTakeFirst()
    : { numDeletedRows: 0n }
  if (numDeletedRows === 0n) throw new Problem('not-found', 'There is no provider with this id.')
}
