import type { Deps } from '../deps.ts'
import type { Rail } from '../rails/rail.ts'

const bare = (account: string): string => account.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/**
 * Whether a statement's account is this one. MT940 may name an IBAN by bank code and account number, and any account
 * with its bank before a slash.
 */
export function isOwnAccount(given: string, own: string): boolean {
  const [name, mine] = [bare(given.replace(/\s*[A-Z]{3}$/, '')), bare(own)]
  if (name === mine || bare(given) === mine) return true
  if (/^[A-Z]{2}\d{2}/.test(mine)) return name.length >= 10 && name === mine.slice(4)
  const last = bare(given.split('/').at(-1) ?? '')
  return last.replace(/^0+/, '') !== '' && last.replace(/^0+/, '') === mine.replace(/^0+/, '')
}

/** The rails that use a bank account. */
export const railsOf = ({ rails }: Pick<Deps, 'rails'>, account: string): Rail[] =>
  [...rails.values()].filter(rail => accountsOf(rail).includes(account))

/** The account of a rail with bank files, and those that it had before. */
export const accountsOf = ({ bankAccount, earlierAccounts = [] }: Rail): string[] =>
  bankAccount ? [bankAccount.account, ...earlierAccounts] : []

/**
 * Whether two names are one person's: each word of the shorter one, or its initial, is in the other. Null: one of them
 * is not known.
 */
export function isSameName(one: string | null, other: string | null): boolean | null {
  const [a, b] = [wordsOf(one ?? ''), wordsOf(other ?? '')]
  if (a.length === 0 || b.length === 0) return null
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  const agrees = (word: string) =>
    long.some(each => each === word || (Math.min(each.length, word.length) === 1 && each[0] === word[0]))
  const spelled = short.some(word => word.length > 1 && long.includes(word))
  return (spelled && short.every(agrees)) || a.join('') === b.join('')
}

/** Whether a name is one of these. Null: it is not known, or there is none. */
export function isNamed(name: string | null, names: readonly string[]): boolean | null {
  const found = names.map(each => isSameName(name, each))
  return found.includes(true) || (found.includes(false) ? false : null)
}

const titles = new Set(['MR', 'MRS', 'MS', 'DR', 'SHRI', 'SMT', 'HERR', 'FRAU'])

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !titles.has(word))
