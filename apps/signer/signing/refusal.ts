/** Why the signer does not sign. */
export class Refusal extends Error {
  /** The rule; refusals are counted by it. */
  readonly reason: Reason

  /** `message` is for the operator: what was asked for and what the rule is. */
  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

export const REASONS = [
  'not-a-transaction',
  'wrong-server',
  'wrong-account',
  'wrong-operation',
  'wrong-asset',
  'destination',
  'fee',
  'time-bounds',
  'preconditions',
  'clocks-differ',
  'sequence',
  'not-a-challenge',
  'not-reserves',
  'not-a-callback',
  'per-payment',
  'per-hour',
  'xlm-per-hour',
  'payments-per-hour',
] as const
type Reason = (typeof REASONS)[number]

const LIMITS: readonly Reason[] = ['per-payment', 'per-hour', 'xlm-per-hour', 'payments-per-hour']

/** Limits pass with time or are raised; other refusals stay. */
export const isLimit = ({ reason }: Refusal): boolean => LIMITS.includes(reason)
