import type { AnchorAccount as Shown } from '@windlass/contracts/platform/customers.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { anchorNames } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import { lockCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { organizationNames } from '../operators/organizations.ts'
import type { PlatformDb } from '../tables.ts'
import {
  type AnchorAccount,
  accountsOf,
  isOwn,
  lockAccount,
  memoOf,
  removeAccount,
  settleAccount,
} from '../visits/accounts.ts'
import { giveAccess } from '../visits/visits.ts'
import { mailAboutWallet } from '../wallets/mail.ts'
import { linkConfirmed } from '../wallets/prove-by-login.ts'
import { type Removal, useRemoval } from '../wallets/removal.ts'
import { unlinkAddress } from '../wallets/wallets.ts'

/** The customer's accounts at anchors that wait, and those that they share with others. */
export async function listAccounts({ database: { db } }: Deps, customerId: string): Promise<Shown[]> {
  const rows = await accountsOf(db, customerId)
  const anchors = await anchorNames(db, [...new Set(rows.map(row => row.anchor_id))])
  const organizations = await organizationNames(
    db,
    [...anchors.values()].map(({ organizationId }) => organizationId),
  )
  return rows.map(row => {
    const { homeDomain = '', organizationId = '' } = anchors.get(row.anchor_id) ?? {}
    const organizationName = organizations.get(organizationId) ?? ''
    return {
      id: row.id,
      account: row.account,
      memo: memoOf(row),
      anchor: { id: row.anchor_id, homeDomain, organizationName },
      status: row.status === 'waiting' ? 'waiting' : 'confirmed',
      createdAt: row.created_at.toISOString(),
    }
  })
}

/**
 * The customer says that an account is theirs: a wallet of their own counts at every anchor from then on, a shared account
 * at its anchor, which gets access. Throws `wallet-not-found`, `wallet-taken`.
 */
export async function confirmAccount(deps: Deps, customerId: string, id: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.db.transaction().execute(async tx => {
    await lockCustomer(tx, customerId)
    const row = await requireAccount(tx, customerId, id)
    if (row.status === 'confirmed') return
    const account = { account: row.account, memo: memoOf(row) }
    if (isOwn(account)) await linkConfirmed(deps, tx, customerId, row)
    else await mailAboutWallet(deps, tx, 'linked', { customerId, ...account }, row.anchor_id)
    await giveAccess(tx, row.anchor_id, customerId)
    await settleAccount(tx, row, now)
    const actor = `customer:${customerId}`
    const details = { ...account, anchorId: row.anchor_id }
    await record(tx, { actor, action: 'wallet.confirmed', subject: actor, details }, now)
  })
}

/** The customer refuses or removes one of their accounts at anchors. Throws `wallet-not-found`. */
export async function refuseAccount(deps: Deps, customerId: string, id: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const row = await requireAccount(tx, customerId, id)
    const removal = { customerId, account: row.account, memo: memoOf(row) }
    await removeAccount(tx, customerId, removal, deps.clock.now())
    await recordRemoval(deps, tx, removal, 'portal')
  })
}

/** Removes what a link in an email names, once, from wallets and at every anchor. Throws `removal-link-gone`. */
export async function removeByLink(deps: Deps, token: string): Promise<Removal> {
  return deps.database.db.transaction().execute(async tx => {
    const removal = await useRemoval(tx, token)
    const { customerId, account, memo } = removal
    if (memo === null) await unlinkAddress(tx, customerId, account)
    await removeAccount(tx, customerId, removal, deps.clock.now())
    await recordRemoval(deps, tx, removal, 'email')
    return removal
  })
}

async function recordRemoval(
  { clock }: Deps,
  tx: PlatformDb,
  { customerId, account, memo }: Removal,
  by: 'portal' | 'email',
): Promise<void> {
  const actor = `customer:${customerId}`
  const details = { account, memo, by }
  await record(tx, { actor, action: 'wallet.removed', subject: actor, details }, clock.now())
}

async function requireAccount(tx: PlatformDb, customerId: string, id: string): Promise<AnchorAccount> {
  const row = await lockAccount(tx, customerId, id)
  if (!row) throw new Problem('wallet-not-found', 'You have no account at an anchor with this id.')
  return row
}
