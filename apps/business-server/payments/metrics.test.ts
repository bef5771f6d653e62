import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor } from '../testing/bank-anchor.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

it('payouts under way are measured with who provides their rail: one with bank files waits for people for days', async () => {
  await bank.withdrawal('sepa', { dest: 'NL91ABNA0417164300', dest_name: 'Asha Rao' })
  const { body } = await bank.app.server.app.inject('/metrics')
  const [, labels] = /^windlass_rail_order_oldest_seconds\{([^}]*)\}/m.exec(body) ?? []
  expect(labels).toMatch(/rail="SEPA",kind="payout",state="sent",provider="bank-file"/)
})
