import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/problem.ts'
import { registerCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { giveAccess, insertLogin, requireAnchor } from '../visits/visits.ts'
import { link } from '../wallets/link.ts'
import { proveByLogin, readLogin } from '../wallets/prove-by-login.ts'

/**
 * Signs in the owner of a verified email address at an anchor, and links the wallet they use there: proven where its
 * login is given and accepted. A wallet that another customer has proven is not linked.
 */
export async function signInAt(
  deps: Deps,
  principal: Principals['internal'],
  email: string,
  wallet: { address?: string | undefined; login?: string | undefined },
): Promise<{ customerId: string }> {
  const anchorId = requireAnchor(principal)
  const customerId = await deps.database.db.transaction().execute(async tx => {
    const { customer } = await registerCustomer(tx, email, deps.clock.now())
    await giveAccess(tx, anchorId, customer.id)
    return customer.id
  })
  const proven = wallet.login ? await proveHere(deps, anchorId, customerId, wallet.login) : false
  if (!proven && wallet.address !== undefined) {
    await unlessRefused(link(deps, customerId, { address: wallet.address }))
  }
  return { customerId }
}

async function proveHere(deps: Deps, anchorId: string, customerId: string, login: string): Promise<boolean> {
  const read = await unlessRefused(readLogin(deps, login))
  if (read?.anchorId !== anchorId) return false
  await insertLogin(deps.database.db, anchorId, read.address)
  return (await unlessRefused(proveByLogin(deps, customerId, login))) !== null
}

const REFUSALS: ReadonlySet<string> = new Set([
  'proof-not-accepted',
  'wallet-taken',
  'wallet-already-linked',
  'validation-failed',
])

/** Null where a wallet is refused: the customer is signed in without it. */
async function unlessRefused<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act
  } catch (error) {
    if (error instanceof Problem && REFUSALS.has(error.code)) return null
    throw error
  }
}
