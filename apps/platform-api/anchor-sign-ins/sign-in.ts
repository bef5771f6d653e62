import { Problem } from '@windlass/service/http/problem.ts'
import { record } from '../audit/record.ts'
import { lockCustomer, registerCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { centralStatus } from '../kyc/status.ts'
import { claimEmails } from '../mail/customer-emails.ts'
import type { PlatformDb } from '../tables.ts'
import { type Account, accountsOf, isConfirmed, isOwn, keepAccount, statusAt } from '../visits/accounts.ts'
import { giveAccess, insertLogin } from '../visits/visits.ts'
import { linkIn } from '../wallets/link.ts'
import { mailAboutWallet } from '../wallets/mail.ts'
import { type Login, proveIn, readLogin, spendLogin } from '../wallets/prove-by-login.ts'
import { isLinked, walletsOf } from '../wallets/wallets.ts'

interface SigningIn {
  /** The account at the anchor; null: its server did not name it, and nothing is tied to the customer. */
  account: Account | null
  /** The challenge that the account signed to log in there. */
  login: string | undefined
}

/**
 * Signs in the owner of a verified email address at an anchor, and ties the account to them that they use there: a wallet
 * of their own counts at every anchor, proven where its login is given and accepted; a shared account at this one.
 *
 * A customer's first account counts at once. A further one, and any of a customer who is ACCEPTED, waits until the
 * customer confirms it: the anchor says whose account it is, and it may lie or be deceived.
 *
 * @throws `wallet-confirmation-needed` where the account waits: the anchor then gets no access to the customer.
 */
export async function signInAt(
  deps: Deps,
  anchorId: string,
  email: string,
  { account, login }: SigningIn,
): Promise<{ customerId: string }> {
  const proof = account && login ? await loginHere(deps, anchorId, account, login) : null
  const customerId = await deps.database.db.transaction().execute(async tx => {
    const { customer } = await registerCustomer(tx, email, deps.clock.now())
    await lockCustomer(tx, customer.id)
    if (account && (await mustConfirm(tx, customer.id, account))) {
      await keepWaiting(deps, tx, { anchorId, customerId: customer.id, account, proof })
      return null
    }
    await giveAccess(tx, anchorId, customer.id)
    if (account) {
      // Not before the account is known to be theirs: evidence of its transactions names these emails.
      const about = { anchorId, ...account }
      await claimEmails(tx, deps.sealer, { about, to: email, customerId: customer.id })
      await tie(deps, tx, { anchorId, customerId: customer.id, account, proof })
    }
    return customer.id
  })
  if (customerId !== null) return { customerId }
  throw new Problem(
    'wallet-confirmation-needed',
    'This wallet is new to the customer, who was emailed and confirms it in the customer portal.',
  )
}

/** The account's login at this anchor; null where it proves nothing. */
async function loginHere(
  deps: Deps,
  anchorId: string,
  { account, memo }: Account,
  transaction: string,
): Promise<Login | null> {
  const login = await unlessRefused(readLogin(deps, transaction))
  if (login?.anchorId !== anchorId || login.address !== account || memo !== null) return null
  await insertLogin(deps.database.db, anchorId, account)
  return login
}

async function mustConfirm(tx: PlatformDb, customerId: string, account: Account): Promise<boolean> {
  const known = isOwn(account)
    ? await isLinked(tx, customerId, account.account)
    : await isConfirmed(tx, customerId, account)
  if (known) return false
  if ((await centralStatus(tx, customerId)).status === 'ACCEPTED') return true
  const others = await Promise.all([walletsOf(tx, customerId, { limit: 1 }), accountsOf(tx, customerId)])
  return others.flat().length > 0
}

interface Tied {
  anchorId: string
  customerId: string
  account: Account
  proof: Login | null
}

async function keepWaiting(
  deps: Deps,
  tx: PlatformDb,
  { anchorId, customerId, account, proof }: Tied,
): Promise<void> {
  const now = deps.clock.now()
  const proven = proof !== null && (await spendLogin(tx, proof, null, now))
  await keepAccount(
    tx,
    { customer_id: customerId, anchor_id: anchorId, proven, status: 'waiting' },
    account,
    now,
  )
  await mailAboutWallet(deps, tx, 'waiting', { customerId, ...account }, anchorId)
  const act = { actor: `anchor:${anchorId}`, action: 'wallet.waiting', subject: `customer:${customerId}` }
  await record(tx, { ...act, details: { ...account } }, now)
}

async function tie(
  deps: Deps,
  tx: PlatformDb,
  { anchorId, customerId, account, proof }: Tied,
): Promise<void> {
  if (!isOwn(account)) return keepShared(deps, tx, { anchorId, customerId, account })
  if (proof && (await unlessRefused(proveIn(deps, tx, customerId, proof))) !== null) return
  await unlessRefused(linkIn(deps, tx, customerId, { address: account.account, anchorId }))
}

async function keepShared(
  deps: Deps,
  tx: PlatformDb,
  { anchorId, customerId, account }: Omit<Tied, 'proof'>,
): Promise<void> {
  const isNew = (await statusAt(tx, anchorId, customerId, account)) !== 'confirmed'
  const row = { customer_id: customerId, anchor_id: anchorId, proven: false, status: 'confirmed' as const }
  await keepAccount(tx, row, account, deps.clock.now())
  if (isNew) await mailAboutWallet(deps, tx, 'linked', { customerId, ...account }, anchorId)
}

const REFUSALS: ReadonlySet<string> = new Set(['proof-not-accepted', 'wallet-taken', 'validation-failed'])

/** Null where a wallet is refused: the customer is signed in without it. */
async function unlessRefused<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act
  } catch (error) {
    if (error instanceof Problem && REFUSALS.has(error.code)) return null
    throw error
  }
}
