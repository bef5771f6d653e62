import {
  getFundingAccount,
  signCallback,
  signChallenge,
  signContractChallenge,
  signFunding,
  signIssue,
  signPayment,
  signStatement,
} from '@windlass/contracts/internal/signer.ts'
import type { TransactionSigner } from '@windlass/stellar/keys.ts'
import { createClient, ProblemError, type Client, type ClientOptions } from './client.ts'

const ANSWERS_WITHIN_MS = 10_000

/** What the signer signs for one of an anchor's servers. Every call throws {@link ProblemError} where it refuses. */
interface ServerSigner {
  /** The distribution account's key. */
  payments(distribution: string): TransactionSigner
  /** Signs a SEP-10 challenge (base64 XDR) with the signing key. */
  challenge(transaction: string): Promise<Buffer>
  /** Signs the preimage (base64 XDR) of an entry of a SEP-45 challenge with the signing key. */
  contractChallenge(preimage: string): Promise<Buffer>
  /** Signs `time.host.body` with the signing key; `time` in Unix seconds. */
  callback(parts: { time: number; host: string; body: string }): Promise<Buffer>
  /** Signs a statement with the signing key, by SEP-53. */
  statement(message: string): Promise<Buffer>
}

/** The signer, as one of an anchor's servers uses it. */
export function createServerSigner(
  url: string,
  credential: string,
  given: Pick<ClientOptions, 'fetch'> = {},
): ServerSigner {
  const client = createClient({ ...given, baseUrl: url, headers: { authorization: `Bearer ${credential}` } })
  return {
    payments: address => ({
      address,
      sign: async transaction =>
        bytesOf(await client.call(signPayment, { body: { transaction: transaction.toXdr() }, ...soon() })),
    }),
    challenge: async transaction =>
      bytesOf(await client.call(signChallenge, { body: { transaction }, ...soon() })),
    contractChallenge: async preimage =>
      bytesOf(await client.call(signContractChallenge, { body: { preimage }, ...soon() })),
    callback: async body => bytesOf(await client.call(signCallback, { body, ...soon() })),
    statement: async message => bytesOf(await client.call(signStatement, { body: { message }, ...soon() })),
  }
}

/** An account of an anchor whose asset the control plane issues. */
export function issueSigner(signer: Client, anchorId: string, account: string): TransactionSigner {
  return {
    address: account,
    sign: async transaction => {
      const body = { account, transaction: transaction.toXdr() }
      return bytesOf(await signer.call(signIssue, { params: { anchorId }, body, ...soon() }))
    },
  }
}

/** The account that pays for an anchor's accounts; null: there is none, and a faucet pays. */
export async function findFundingSigner(signer: Client, anchorId: string): Promise<TransactionSigner | null> {
  const { account } = await signer.call(getFundingAccount, soon())
  if (account === null) return null
  return {
    address: account,
    sign: async transaction => {
      const body = { anchorId, transaction: transaction.toXdr() }
      return bytesOf(await signer.call(signFunding, { body, ...soon() }))
    },
  }
}

/** Whether the signer answered that it does not sign this, now or ever. */
export const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && ['signature-refused', 'signing-limit-reached'].includes(error.problem.code)

/** Whether the signer refused what was only wrong by its clock. */
export const areClocksDifferent = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.problem.code === 'clocks-differ'

const soon = () => ({ signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
const bytesOf = ({ signature }: { signature: string }) => Buffer.from(signature, 'base64')
