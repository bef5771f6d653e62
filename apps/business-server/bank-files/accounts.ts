import { nationalNumberOf } from '@windlass/contracts/platform/account-numbers.ts'
import { clean } from './statement.ts'
import type { Deps } from '../deps.ts'
import type { Rail } from '../rails/rail.ts'

const bare = (account: string): string => account.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/**
 * Whether a statement's account is this one, which banks write as an IBAN, as its bank and number or the number alone, with
 * or without zeros before it, and with its currency behind it. A number alone has at least 6 digits.
 */
export function isOwnAccount(given: string, own: string): boolean {
  const mine = bare(own)
  const parts = given
    .toUpperCase()
    .replace(/(?<=\d)[\s/]*[A-Z]{3}$/, '')
    .split('/')
    .map(bare)
  const [last = '', bank = ''] = [parts.at(-1), parts.slice(0, -1).join('')]
  if (last === mine || bank + last === mine) return true
  const number = withoutZeros(last)
  const national = nationalNumberOf(mine)
  if (!national) return number !== '' && number === withoutZeros(mine)
  if (bank + last === national.bank + national.number) return true
  if (number.length < 6 || number !== withoutZeros(national.number)) return false
  // What is no number names the bank in words, or by its BIC.
  return !/^\d+$/.test(bank) || withoutZeros(bank) === withoutZeros(national.bank)
}

const withoutZeros = (number: string): string => number.replace(/^0+/, '')

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

/**
 * Whether all whom a payer's name names (a joint account's holders, the one on whose behalf it was paid) are one of these.
 * Null: one of them is not known, or there is none.
 */
export function isNamed(name: string | null, names: readonly string[]): boolean | null {
  const words = sortedWordsOf(name ?? '')
  if (words !== '' && names.some(each => sortedWordsOf(each) === words)) return true
  const found = clean(name ?? '')
    .split(JOINED)
    .map(holder => isOneOf(holder, names))
  return found.includes(false) ? false : found.includes(null) ? null : true
}

function isOneOf(name: string, names: readonly string[]): boolean | null {
  const found = names.map(each => isSameName(name, each))
  return found.includes(true) || (found.includes(false) ? false : null)
}

/** What stands between the holders of an account, as banks write it. */
const JOINED = / ?[/;&+|] ?| (?:AND|OR|UND|ODER|BZW\.?|EN|OF|EN\/OF|E\/O|ET|OU|Y|O|E|C\/O|JT|JTLY) /i

const sortedWordsOf = (name: string): string => wordsOf(name).sort().join(' ')

const titles = new Set(['MR', 'MRS', 'MS', 'DR', 'SHRI', 'SMT', 'HERR', 'FRAU', 'HR', 'MW', 'DHR', 'MEVR'])

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !titles.has(word))
