import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { clientNetwork } from '@windlass/service/http/client-address.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHmac } from 'node:crypto'

/**
 * Anyone can reserve an anchor's capacity with a firm quote, so reservations are limited: all open firm quotes together
 * hold at most half of it, one client's at most a quarter within 15 minutes, expired quotes included.
 */
const ALL_SHARE = 2n
const CLIENT_SHARE = 4n
export const CLIENT_WINDOW_MS = 15 * 60_000

/** Reservations of one asset of an anchor. */
export interface Reserved {
  capacity: Amount
  /** By firm quotes that are open. */
  open: Amount
  /** By the client's firm quotes of the window. */
  byClient: Amount
}

export const mayReserve = ({ capacity, open, byClient }: Reserved, amount: Amount): boolean =>
  (open + amount) * ALL_SHARE <= capacity && (byClient + amount) * CLIENT_SHARE <= capacity

/** Whether an anchor's capacity is too small for one firm quote of an amount. */
export const isTooSmall = (capacity: Amount, amount: Amount): boolean => amount * CLIENT_SHARE > capacity

/** A client as it is stored: its network, hashed with a key, because an address is personal data. */
export const clientKey = (address: string, serviceSecret: string): string =>
  createHmac('sha256', serviceSecret)
    .update(`firm quotes of ${clientNetwork(address)}`)
    .digest('base64url')
    .slice(0, 22)

export const reservationLimit = (amount: Amount): Problem =>
  new Problem(
    'reservation-limit',
    `No anchor can reserve ${formatAmount(amount)} now. One client may reserve a quarter of an anchor's capacity ` +
      'in 15 minutes, all clients together half of it. Ask for a quote that is not firm, or a smaller amount.',
  )

export const amountOrZero = (sum: string | null): Amount => parseAmount(sum ?? '0')
