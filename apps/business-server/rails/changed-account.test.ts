import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor, camt053, IBAN } from '../testing/bank-anchor.ts'

const NEW = 'DE02120300000000202051'
const SEPA = { provider: 'bank-file', bic: 'COBADEFFXXX', accountHolder: 'Mumbai Pay GmbH' }

let anchor: BankAnchor
beforeAll(async () => {
  const versions = [{ rail: 'SEPA', credentials: { ...SEPA, iban: NEW } }]
  anchor = await BankAnchor.start(undefined, { SEPA: { ...SEPA, iban: IBAN }, versions })
})
afterAll(() => anchor.close())

it('customers read the new account', () => {
  const lines = anchor.deps.rails.get('SEPA')?.instructions({ reference: 'W1', amount: '20' })
  expect(lines).toContainEqual(expect.objectContaining({ value: 'DE02 1203 0000 0000 2020 51' }))
})

it.each([
  ['the earlier account', IBAN],
  ['the new account', NEW],
])('a deposit that is paid to %s is funded by that account’s statement', async (_, iban) => {
  const { id, reference, money } = await anchor.deposit('sepa')
  const booking = { amount: money, direction: 'in', text: reference, bankReference: iban.slice(-8) } as const
  const read = await anchor.read('SEPA', `${iban}.xml`, camt053([booking], { iban }))
  expect(read.statusCode).toBe(201)
  expect(await anchor.state(id)).not.toBe('awaiting_funds')
  const [line] = await anchor.rows<{ account: string }>(
    'select account from bank_lines order by ctid desc limit 1',
  )
  expect(line?.account).toBe(iban)
})

it('the statement of an account that the rail never had is refused', async () => {
  const statement = camt053([], { iban: 'DE75512108001245126199' })
  expect((await anchor.read('SEPA', 'other.xml', statement)).json()).toMatchObject({
    code: 'statement-refused',
  })
})
