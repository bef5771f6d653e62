import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHash } from 'node:crypto'
import type { StatementLine } from './statement.ts'

/** Gives each line of one file the id that it has in every file. */
export function createIdentities(account: string): (line: StatementLine) => string {
  const seen = new Map<string, number>()
  return line => {
    const facts = [account, line.direction, formatAmount(parseAmount(line.amount)), line.currency]
    const known = line.bankReference
      ? digest('reference', ...facts, line.bankReference)
      : digest('text', ...facts, line.bookedOn, textOf(line))
    const ordinal = seen.get(known) ?? 0
    seen.set(known, ordinal + 1)
    return ordinal === 0 ? known : digest(known, String(ordinal))
  }
}

/** Banks change spaces and capitals between files. */
const textOf = ({ text, party }: StatementLine): string =>
  [text, party.name ?? '', party.account ?? ''].join('|').replaceAll(/\s/g, '').toUpperCase()

const digest = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** Our references in a text, also where a bank put spaces in: of deposits (W…), payouts (P…) and payout files (F…). */
export function codesIn({ text, bankReference }: StatementLine): string[] {
  const bare = `${text}|${bankReference ?? ''}`.replaceAll(/[\s\-/]/g, '').toUpperCase()
  const found = [...bare.matchAll(/(?=(W[0-9A-F]{16}|[PF][0-9A-F]{14}))/g)].map(([, code = '']) => code)
  return [...new Set(found)].slice(0, 20)
}
