import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { isContract, isStellarAccount, muxedAccount, muxedParts } from '@windlass/stellar/addresses.ts'
import { type Selectable, sql, type Transaction as Tx } from 'kysely'
import type { CustomerAnswer } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import type { Tables } from '../tables.ts'

const NAME = /^[a-z0-9](?:[a-z0-9._-]{1,30})[a-z0-9]$/
/** Names that customers could take for the anchor's own, also as a part of a name. */
const RESERVED =
  'abuse admin administrator anchor bank billing compliance contact customer deposit desk distribution help helpdesk info issuer legal noreply official operator payments payout postmaster refund root security service staff support team treasury wallet withdraw'.split(
    ' ',
  )
/** Digits that are read as letters. */
const LOOKS_LIKE: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }
/** Limit for a person in all, with names that were given up: these stay taken. */
const NAMES_OF_PERSON = 5

interface Owner {
  /** `G…` */
  account: string
  /** Memo of the type `id`; empty: the account itself. */
  memo: string
  muxed: boolean
}

/** A session, or the account and memo of a customer. */
type Named = Pick<Principals['wallet'], 'account' | 'memo'>

const ownerOf = ({ account, memo }: Named): Owner => {
  const muxed = muxedParts(account)
  return muxed
    ? { account: muxed.base, memo: muxed.id, muxed: true }
    : { account, memo: memo ?? '', muxed: false }
}

/**
 * Whether a name could be taken for the anchor's own: a part of it is reserved or the anchor's, or it is made of such words
 * only. Digits count as the letters that they look like, and not at the end of a part.
 */
function isReserved(name: string, { subdomain, asset, furtherAssets = [] }: AnchorPlan): boolean {
  const codes = [asset, ...furtherAssets].map(({ code }) => code.toLowerCase())
  const words = [...RESERVED, subdomain, ...codes]
  const readings = [name, name.replaceAll(/[013457]/g, digit => LOOKS_LIKE[digit] ?? digit)]
  return readings.some(reading => {
    // oxlint-disable-next-line linear-patterns/by-any-text -- a name has 32 characters
    const parts = reading.split(/[._-]+/).flatMap(part => [part, part.replace(/s?\d*$/, '')])
    return parts.some(part => words.includes(part)) || isMadeOf(reading.replaceAll(/[._\d-]/g, ''), words)
  })
}

/** Whether a text is one or more of these words without a gap. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const ends = new Set([0])
  for (const end of ends)
    for (const word of words) if (word !== '' && text.startsWith(word, end)) ends.add(end + word.length)
  return text !== '' && ends.has(text.length)
}

/** `GET /federation`. Throws 400 for what cannot be asked and 404 for what is not known, with SEP-2's `detail`. */
export async function findRecord(deps: Deps, type: string, asked: string) {
  if (type === 'name') return recordOf(deps, await whileAccepted(deps, await findByAddress(deps, asked)))
  if (type === 'id') return recordOf(deps, await whileAccepted(deps, await findByAccount(deps, asked)))
  throw refuse('type must be name or id.')
}

type Row = Selectable<Tables['federation_names']>

/** The name of a customer whose identity check is accepted now. */
async function whileAccepted(deps: Deps, row: Row | undefined): Promise<Row | undefined> {
  if (!row) return undefined
  const { account, memo, muxed } = row
  const customer = muxed
    ? { account: muxedAccount(account, memo), memo: null }
    : { account, memo: memo || null }
  return (await customerOf(deps, customer)).status === 'ACCEPTED' ? row : undefined
}

const customerOf = ({ business }: Deps, { account, memo }: Named): Promise<CustomerAnswer> =>
  business.getCustomer({ account, ...(memo === null ? {} : { memo, memo_type: 'id' }) })

async function findByAddress(deps: Deps, address: string) {
  const [name = '', domain, ...more] = address.trim().toLowerCase().split('*')
  if (domain === undefined || more.length > 0) throw refuse('q must be an address such as ada*example.com.')
  if (domain !== deps.config.anchor.plan.homeDomain) throw unknown()
  const { db } = deps.database
  return db
    .selectFrom('federation_names')
    .selectAll()
    .where('name', '=', name)
    .where('active', '=', true)
    .executeTakeFirst()
}

async function findByAccount(deps: Deps, account: string) {
  const muxed = muxedParts(account)
  if (!muxed && !isStellarAccount(account)) throw refuse('q must be an account (G… or M…).')
  return findOwn(deps, muxed ? { account: muxed.base, memo: muxed.id } : { account, memo: '' })
}

const findOwn = ({ database }: Deps, { account, memo }: Pick<Owner, 'account' | 'memo'>) =>
  database.db
    .selectFrom('federation_names')
    .selectAll()
    .where('account', '=', account)
    .where('memo', '=', memo)
    .where('active', '=', true)
    .executeTakeFirst()

function recordOf({ config }: Deps, row: { name: string; account: string; memo: string } | undefined) {
  if (!row) throw unknown()
  return {
    stellar_address: `${row.name}*${config.anchor.plan.homeDomain}`,
    account_id: row.account,
    ...(row.memo === '' ? {} : { memo_type: 'id', memo: row.memo }),
  }
}

/** `GET /federation/name` */
export async function ownRecord(deps: Deps, wallet: Named) {
  return recordOf(deps, await findOwn(deps, ownerOf(wallet)))
}

/**
 * Takes a name for the session's customer in place of the one before. Throws 400, `forbidden` without an accepted identity
 * check, `name-taken`.
 */
export async function takeName(deps: Deps, wallet: Named, given: string) {
  const name = given.trim().toLowerCase()
  if (!NAME.test(name) || isReserved(name, deps.config.anchor.plan))
    throw badRequest('name must be 3 to 32 letters, digits, ".", "_" or "-", and not one of the anchor’s own')
  if (isContract(wallet.account)) throw badRequest('a contract account (C…) cannot have a name')
  const owner = ownerOf(wallet)
  await deps.nameChanges.demand(owner.account)
  const { status, person = null } = await customerOf(deps, wallet)
  if (status !== 'ACCEPTED')
    throw new Problem('forbidden', 'Names are for customers with an accepted identity check (SEP-12).')
  await deps.database.db.transaction().execute(tx => store(tx, name, owner, person))
  return ownRecord(deps, wallet)
}

async function store(
  tx: Tx<Tables>,
  name: string,
  { account, memo, muxed }: Owner,
  person: string | null,
): Promise<void> {
  // One at a time for a person and for an account, so that names at once do not exceed the limit.
  for (const key of [...new Set([person ?? account, account])].sort())
    await sql`select pg_advisory_xact_lock(727010, hashtext(${key}))`.execute(tx)
  const { rows } = await sql<{ name: string }>`
    select name from federation_names
    where (account = ${account} and memo = ${memo}) or person = ${person}
      or (${person}::text is null and person is null and account = ${account})`.execute(tx)
  const isNew = !rows.some(row => row.name === name)
  if (isNew && rows.length >= NAMES_OF_PERSON)
    throw badRequest(`a customer can have ${NAMES_OF_PERSON} names in all, with those given up`)
  await sql`update federation_names set active = false where account = ${account} and memo = ${memo}`.execute(
    tx,
  )
  const taken = await sql`
    insert into federation_names (name, account, memo, muxed, person, active)
    values (${name}, ${account}, ${memo}, ${muxed}, ${person}, true)
    on conflict (name) do update set active = true, muxed = excluded.muxed, person = excluded.person
      where federation_names.account = ${account} and federation_names.memo = ${memo}
        and (federation_names.person is null or federation_names.person = excluded.person)
    returning name`.execute(tx)
  if (taken.rows.length === 0)
    throw new Problem('name-taken', 'Another customer has, or had, this name. Choose another one.')
}

/** Gives the name up. It stays taken. */
export async function dropName({ database }: Deps, wallet: Named): Promise<void> {
  const { account, memo } = ownerOf(wallet)
  await database.db
    .updateTable('federation_names')
    .set({ active: false })
    .where('account', '=', account)
    .where('memo', '=', memo)
    .execute()
}

const refuse = (detail: string) => new Problem('validation-failed', detail, { extensions: { detail } })
const unknown = () => {
  const detail = 'This anchor knows no such name or account.'
  return new Problem('not-found', detail, { extensions: { detail } })
}
