import { formatAmount, parseAmount } from '@windlass/money/amount.ts'

/** An amount of a row that is bound, however the database writes it. */
export const plain = (amount: string | null): string | null => amount && formatAmount(parseAmount(amount))

/** As text that does not depend on the order of what an object has. */
export const sorted = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
