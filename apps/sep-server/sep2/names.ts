import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/problem.ts'
import { isStellarAccount, muxedParts } from '@windlass/stellar/addresses.ts'
import { sql, type Transaction as Tx } from 'kysely'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import type { Tables } from '../tables.ts'

const NAME = /^[a-z0-9](?:[a-z0-9._-]{1,30})[a-z0-9]$/
/** Names that customers could take for the anchor's own. */
const RESERVED: ReadonlySet<string> = new Set(
  'abuse admin administrator anchor bank billing compliance contact deposit distribution help info issuer legal payments postmaster root security service support treasury withdraw'.split(
    ' ',
  ),
)
/** In all, with those that were given up: these stay taken. */
const NAMES_OF_OWNER = 5

interface Owner {
  /** `G…` */
  account: string
  /** Of the type `id`; empty: the account itself. */
  memo: string
}

/** A session, or the account and memo of a customer. */
type Named = Pick<Principals['wallet'], 'account' | 'memo'>

const ownerOf = ({ account, memo }: Named): Owner => {
  const muxed = muxedParts(account)
  return muxed ? { account: muxed.base, memo: muxed.id } : { account, memo: memo ?? '' }
}

/** `GET /federation`. Throws 400 for what cannot be asked and 404 for what is not known, with SEP-2's `detail`. */
export async function findRecord(deps: Deps, type: string, asked: string) {
  if (type === 'name') return recordOf(deps, await findByAddress(deps, asked))
  if (type === 'id') return recordOf(deps, await findByAccount(deps, asked))
  throw refuse('type must be name or id.')
}

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

const findOwn = ({ database }: Deps, { account, memo }: Owner) =>
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
  if (!NAME.test(name) || RESERVED.has(name))
    throw badRequest('name must be 3 to 32 letters, digits, ".", "_" or "-", and not one of the anchor’s own')
  const owner = ownerOf(wallet)
  await deps.nameChanges.demand(owner.account)
  const { account, memo } = wallet
  const { status } = await deps.business.getCustomer({
    account,
    ...(memo === null ? {} : { memo, memo_type: 'id' }),
  })
  if (status !== 'ACCEPTED')
    throw new Problem('forbidden', 'Names are for customers with an accepted identity check (SEP-12).')
  await deps.database.db.transaction().execute(tx => store(tx, name, owner))
  return ownRecord(deps, wallet)
}

async function store(tx: Tx<Tables>, name: string, { account, memo }: Owner): Promise<void> {
  // One at a time for an account, so that names at once do not exceed the limit.
  await sql`select pg_advisory_xact_lock(727010, hashtext(${account}))`.execute(tx)
  const { rows } = await sql<{ name: string }>`
    select name from federation_names where account = ${account} and memo = ${memo}`.execute(tx)
  const isNew = !rows.some(row => row.name === name)
  if (isNew && rows.length >= NAMES_OF_OWNER)
    throw badRequest(`a customer can have ${NAMES_OF_OWNER} names in all, with those given up`)
  await sql`update federation_names set active = false where account = ${account} and memo = ${memo}`.execute(
    tx,
  )
  const taken = await sql`
    insert into federation_names (name, account, memo, active) values (${name}, ${account}, ${memo}, true)
    on conflict (name) do update set active = true
      where federation_names.account = ${account} and federation_names.memo = ${memo}
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
