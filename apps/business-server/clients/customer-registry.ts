import { CookieJar, createClient, ProblemError } from '@windlass/client/client.ts'
import {
  linkWallet,
  proveWalletByLogin,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/customers.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import { propagateKyc, queryKyc, resolveWallets } from '@windlass/contracts/internal.ts'
import type { KycStatus } from '@windlass/contracts/kyc.ts'
import { unavailable } from '@windlass/service/problem.ts'

export interface RegisteredCustomer {
  customerId: string
  status: KycStatus
  /** Of the decision that stands there, by the provider's clock. */
  completedAt?: string | null
}

/** The platform's registry of customers, as an anchor may ask it. Silence is thrown as `dependency-unavailable`. */
export interface CustomerRegistry {
  /** Whose wallet it is and how that customer stands; null: the centre does not know the wallet. */
  byWallet(address: string): Promise<RegisteredCustomer | null>
  /** The customer's wallets; null: the centre does not know the customer. */
  walletsOf(customerId: string): Promise<string[] | null>
  /** Tells a status, with the provider's own report as evidence. Throws `ProblemError` where it is refused. */
  report(body: BodyOf<typeof propagateKyc>): Promise<void>
  /** Has a sign-in code mailed. */
  sendCode(email: string): Promise<void>
  /** Signs in by the code and links the wallet, if one is given; null: the code is not right. */
  linkByCode(email: string, code: string, wallet: WalletToLink | null): Promise<{ customerId: string } | null>
}

export interface WalletToLink {
  /** `G…` */
  address: string
  /** The challenge that it signed when it logged in here: with it the wallet is proven, without it linked only. */
  login: string | null
}

const TIMEOUT_MS = 5_000

export function createCustomerRegistry(platformUrl: string, serviceSecret: string): CustomerRegistry {
  const internal = createClient({ baseUrl: platformUrl, headers: { 'x-service-secret': serviceSecret } })
  const signal = () => AbortSignal.timeout(TIMEOUT_MS)
  return {
    byWallet: walletAddress =>
      found(internal.call(queryKyc, { query: { walletAddress }, signal: signal() }), 404),
    walletsOf: async id =>
      (await found(internal.call(resolveWallets, { params: { id }, signal: signal() }), 404))?.addresses ??
      null,
    report: async body => {
      await internal.call(propagateKyc, { body, signal: signal() })
    },
    sendCode: async email => {
      const client = createClient({ baseUrl: platformUrl })
      await found(client.call(requestCustomerCode, { body: { email }, signal: signal() }), 400)
    },
    linkByCode: async (email, code, wallet) => {
      const client = createClient({ baseUrl: platformUrl, cookies: new CookieJar() })
      const session = await found(
        client.call(verifyCustomerCode, { body: { email, code }, signal: signal() }),
        400,
        401,
      )
      if (!session) return null
      if (!wallet) return { customerId: session.user.id }
      const { address, login } = wallet
      const body = { transaction: login ?? '' }
      const proven = login
        ? await found(client.call(proveWalletByLogin, { body, signal: signal() }), 400, 404, 409)
        : null
      if (!proven) await found(client.call(linkWallet, { body: { address }, signal: signal() }), 409)
      return { customerId: session.user.id }
    },
  }
}

/** The answer; null for the statuses that mean no. */
async function found<T>(answer: Promise<T>, ...no: number[]): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ProblemError && no.includes(error.status)) return null
    throw unavailable('The customer registry', error)
  }
}
