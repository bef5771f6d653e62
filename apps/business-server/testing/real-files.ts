import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Named {
  reference: string
  money: string
}

/**
 * A file as a bank sends it, from an opening balance of 1,000, with the references and amounts of open deposits. `CC1` is
 * the balance `C1` with a comma.
 */
export function realFile(name: string, [one, other]: readonly Named[] = []): Buffer {
  const text = readFileSync(join(import.meta.dirname, 'real-files', name), 'latin1')
  const [first, second] = [Number(one?.money ?? 0), Number(other?.money ?? 0)]
  const both = first + second
  const amounts = { 1: first, 2: second, S: both }
  const balances = { 1: 1000 + first, 2: 1000 + both, S: 1000 + both }
  const values = new Map([
    ['REF1', one?.reference ?? ''],
    ['REF2', other?.reference ?? ''],
    ['SUM', both.toFixed(2)],
  ])
  for (const [key, amount] of Object.entries(amounts)) {
    values.set(`MONEY${key}`, amount.toFixed(2))
    values.set(`COMMA${key}`, amount.toFixed(2).replace('.', ','))
  }
  for (const [key, balance] of Object.entries(balances)) {
    values.set(`C${key}`, balance.toFixed(2))
    values.set(`CC${key}`, balance.toFixed(2).replace('.', ','))
  }
  return Buffer.from(
    text.replaceAll(/@([A-Z0-9]+)@/g, (_, key: string) => values.get(key) ?? ''),
    'latin1',
  )
}
