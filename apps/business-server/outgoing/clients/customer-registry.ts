import { ProblemError } from '@windlass/client/client.ts'
import type { AnswerOf, BodyOf } from '@windlass/contracts/endpoint.ts'
import * as contracts from '@windlass/contracts/internal/internal.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { problems, type ProblemCode } from '@windlass/contracts/problems.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { signatureHeaders } from '@windlass/service/outbound/webhooks.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { createPlatform } from './platform.ts'

export interface RegisteredCustomer {
  customerId: string
  status: KycStatus
  /** When the present decision was made, by the provider's clock. */
  completedAt?: string | null
  /** The name on their document; absent: nobody knows it. */
  verifiedName?: string | null
  /** By which other customers are known to be the same person; absent: an earlier release of the platform answered. */
  identity?: contracts.IdentityDigests
}

/** The customer who has proven a wallet, or an ACCEPTED one who has linked it. */
interface WalletOwner extends RegisteredCustomer {
  walletVerified: boolean
}

type KycReport = AnswerOf<typeof contracts.passKycReport>

/**
 * The platform's registry of customers and of their verification. It answers for customers who came to this anchor.
 * Throws `dependency-unavailable` where it does not answer.
 */
export interface CustomerRegistry {
  /** Whose wallet it is; null: unknown. `login` is the wallet's last login here, which the platform asks for once. */
  byWallet(address: string, login: () => Promise<string | null>): Promise<WalletOwner | null>
  /** Whose a shared account is that waited for its customer; null: it still waits, or was refused. */
  byShared(account: AccountHere): Promise<WalletOwner | null>
  /** Null: no such customer came to this anchor, or the account, where one is said, is not theirs any more. */
  byId(customerId: string, account: AccountHere | null): Promise<RegisteredCustomer | null>
  /** Sends a status with the provider's own report as evidence. Throws `ProblemError` where it is refused. */
  report(body: BodyOf<typeof contracts.propagateKyc>): Promise<void>
  /** Whether an anchor of the platform has this ledger account (`G…`). */
  isAnchors(account: string): Promise<boolean>
  /** Emails a sign-in code, which names the account. `client`: the address of who asked, by which the platform limits them. */
  sendCode(email: string, account: AccountHere, client: string | undefined): Promise<void>
  /**
   * Signs in with the code and ties the account to the customer. `unconfirmed`: it waits until they confirm it in the
   * portal. Null: the code is wrong.
   */
  linkByCode(
    email: string,
    code: string,
    account: AccountToLink,
    client: string | undefined,
  ): Promise<{ customerId: string } | 'unconfirmed' | null>
  /** What the customer with this account was emailed about it, newest first; null: the platform keeps no such record. */
  emailsTo(account: AccountHere): Promise<contracts.CustomerEmail[] | null>
  /** Says what a customer moves here. Throws `ProblemError` where it is refused. */
  reportMovement(body: BodyOf<typeof contracts.reportMovement>): Promise<void>
  /** What customers moved at other anchors since then. */
  movementsElsewhere(
    customerIds: readonly string[],
    since: Date,
  ): Promise<AnswerOf<typeof contracts.findMovementsElsewhere>['movements']>
  /** Opens a session at the identity provider. */
  startSession(customerId: string, returnUrl: string | undefined): Promise<{ sessionId: string; url: string }>
  /** Has the platform verify the provider's webhook. Throws the platform's problem where it is refused. */
  passReport(raw: Buffer, headers: IncomingHttpHeaders): Promise<KycReport>
}

/** The account of a customer here, and a memo where one account is many people's. */
interface AccountHere {
  account: string
  memo: string | null
}

interface AccountToLink extends AccountHere {
  /** The challenge that a wallet of one's own signed to log in here: with it the wallet is proven, without it linked only. */
  login: string | null
}

const TIMEOUT_MS = 5_000

export function createCustomerRegistry(platformUrl: string, serviceSecret: string): CustomerRegistry {
  const internal = createPlatform(platformUrl, serviceSecret)
  const signal = () => AbortSignal.timeout(TIMEOUT_MS)
  const queryWallet = (walletAddress: string) =>
    internal.call(contracts.queryKyc, { query: { walletAddress }, signal: signal() })
  return {
    byWallet: async (address, login) => {
      try {
        return await found(queryWallet(address), 404)
      } catch (error) {
        if (codeOf(error) !== 'wallet-login-needed') throw error
      }
      const transaction = await login()
      if (transaction === null) return null
      const reported = await found(
        internal.call(contracts.reportWalletLogin, { body: { transaction }, signal: signal() }),
        400,
      )
      return reported && found(queryWallet(address), 403, 404)
    },
    byShared: ({ account, memo }) => {
      const query = { walletAddress: account, ...(memo === null ? {} : { memo }) }
      return found(internal.call(contracts.queryKyc, { query, signal: signal() }), 404)
    },
    byId: (id, account) => {
      const asked = { params: { id }, query: account ? named(account) : {}, signal: signal() }
      return found(internal.call(contracts.queryCustomerKyc, asked), 404)
    },
    isAnchors: async account => {
      const params = { account }
      return (await internal.call(contracts.queryAnchorAccount, { params, signal: signal() })).isAnchors
    },
    report: async body => {
      await internal.call(contracts.propagateKyc, { body, signal: signal() })
    },
    sendCode: async (email, account, clientAddress) => {
      const body = { email, ...named(account), ...(clientAddress ? { clientAddress } : {}) }
      await found(internal.call(contracts.requestCodeAtAnchor, { body, signal: signal() }), 400)
    },
    linkByCode: (email, code, { login, ...account }, clientAddress) => {
      const client = clientAddress ? { clientAddress } : {}
      const body = { email, code, ...client, ...named(account), ...(login === null ? {} : { login }) }
      const signedIn = internal.call(contracts.signInAtAnchor, { body, signal: signal() })
      return found(signedIn.catch(orUnconfirmed), 400, 401)
    },
    emailsTo: ({ account, memo }) => {
      const query = { account, ...(memo === null ? {} : { memo }) }
      return found(internal.call(contracts.listCustomerEmails, { query, signal: signal() }), 404)
    },
    reportMovement: async body => {
      await internal.call(contracts.reportMovement, { body, signal: signal() })
    },
    movementsElsewhere: async (customerIds, since) => {
      const body = { customerIds: [...customerIds], since: since.toISOString() }
      return (await internal.call(contracts.findMovementsElsewhere, { body, signal: signal() })).movements
    },
    startSession: (customerId, returnUrl) => {
      const body = { customerId, ...(returnUrl ? { returnUrl } : {}) }
      return passed(internal.call(contracts.startKycSession, { body, signal: signal() }))
    },
    passReport: (raw, headers) => {
      const body = { body: raw.toString('base64'), headers: signatureHeaders(headers) }
      return passed(internal.call(contracts.passKycReport, { body, signal: signal() }))
    },
  }
}

const named = ({ account, memo }: AccountHere) => ({ account, ...(memo === null ? {} : { memo }) })

/** The answer; null for the statuses that mean no. */
async function found<T>(answer: Promise<T>, ...no: number[]): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ProblemError && no.includes(error.status)) return null
    if (codeOf(error) === 'wallet-login-needed') throw error
    throw unavailable('The customer registry', error)
  }
}

function orUnconfirmed(error: unknown): 'unconfirmed' {
  if (codeOf(error) === 'wallet-confirmation-needed') return 'unconfirmed'
  throw error
}

const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem.code : null)

/** The answer; what the platform refuses about the request is refused here with the same problem. */
async function passed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ProblemError) || !(error.problem.code in problems) || error.status >= 500) {
      throw unavailable('Identity verification', error)
    }
    throw new Problem(error.problem.code as ProblemCode, error.problem.detail)
  }
}
