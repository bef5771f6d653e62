import { WalletError } from './errors.ts'
import { pause, type CallOptions } from './requests.ts'
import type { AnchorAddress, Transaction } from './types.ts'

/** What a transfer is continued from, also by another process. Contains no secret: keep it as JSON. */
export interface TransferState {
  version: 1
  anchor: AnchorAddress
  account: string
  memo?: string
  protocol: 'sep24' | 'sep6'
  kind: 'deposit' | 'withdrawal'
  id: string
  /** The anchor's page for the customer (SEP-24). It opens once, in one browser. */
  url?: string
}

/** Statuses that do not change any more. */
const ENDED: readonly string[] = [
  'completed',
  'refunded',
  'expired',
  'no_market',
  'too_small',
  'too_large',
  'error',
]

const LONGEST_PAUSE_MS = 60_000

/** A deposit or withdrawal at an anchor. */
export class Transfer {
  readonly state: TransferState
  readonly #read: (options: CallOptions) => Promise<Transaction>

  constructor(state: TransferState, read: (options: CallOptions) => Promise<Transaction>) {
    this.state = state
    this.#read = read
  }

  get id(): string {
    return this.state.id
  }

  /** Open it in a popup or a browser tab: the customer finishes there (SEP-24). */
  get url(): string | undefined {
    return this.state.url
  }

  /** The transaction now. */
  read(options: CallOptions = {}): Promise<Transaction> {
    return this.#read(options)
  }

  /**
   * The transaction at first and after each change, until it has ended. Survives outages: only errors that a
   * repetition cannot repair are thrown.
   */
  async *watch({ signal, everyMs = 3_000 }: CallOptions & { everyMs?: number } = {}): AsyncGenerator<
    Transaction,
    void
  > {
    let last = ''
    let failures = 0
    for (;;) {
      try {
        const transaction = await this.#read({ signal })
        failures = 0
        const { status, message, updated_at } = transaction
        const seen = JSON.stringify([status, message, updated_at])
        if (seen !== last) yield transaction
        last = seen
        if (ENDED.includes(status)) return
      } catch (error) {
        if (!(error instanceof WalletError && error.retryable)) throw error
        failures += 1
      }
      await pause(Math.min(everyMs * 2 ** failures, Math.max(everyMs, LONGEST_PAUSE_MS)), signal)
    }
  }

  /** Waits for one of these statuses, or the end; returns the transaction then. */
  async until(
    statuses: readonly string[],
    options: CallOptions & { everyMs?: number } = {},
  ): Promise<Transaction> {
    let latest: Transaction | undefined
    for await (latest of this.watch(options)) if (statuses.includes(latest.status)) return latest
    return latest!
  }

  toJSON(): TransferState {
    return this.state
  }
}

/** What the wallet pays for a withdrawal, once its status is `pending_user_transfer_start`. */
export interface WithdrawalPayment {
  destination: string
  amount: string
  /** `CODE:ISSUER`, or `native`: XLM. */
  asset: string
  memo: string
  memoType: string
}

/** Throws {@link WalletError} while the anchor has not said where to pay. */
export function paymentOf(transaction: Transaction): WithdrawalPayment {
  const { withdraw_anchor_account: destination, withdraw_memo: memo, amount_in: amount } = transaction
  if (!destination || !memo || !amount || transaction.status !== 'pending_user_transfer_start')
    throw new WalletError('not-payable', `There is nothing to pay while it is ${transaction.status}.`)
  const asset = (transaction.amount_in_asset ?? '').replace(/^stellar:/, '')
  return { destination, amount, asset, memo, memoType: transaction.withdraw_memo_type ?? 'id' }
}
