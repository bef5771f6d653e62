import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { receiveRailPayment } from '../payments/receive-rail-payment.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { statusPage } from './status-page.ts'
import { textsFor } from './texts.ts'

let app: BusinessApp
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
})
afterAll(() => app.close())

const wallet = generateKey().publicKey
async function pageOf(id: string): Promise<string> {
  const transfer = await findTransfer(app.deps.database.db, id)
  if (!transfer) throw new Error('gone')
  return (await statusPage(app.deps, textsFor('en'), transfer)).text
}

it('says how much of a deposit is refunded: what came, not what was agreed', async () => {
  const { id } = await acceptTransaction(app.deps, reportedBy(wallet, {}))
  const { rail, currency, reference } = await confirm(app.deps, id)
  expect(await pageOf(id)).not.toContain('Refund')
  await receiveRailPayment(app.deps, rail, {
    kind: 'received',
    ...{ paymentId: 'bank-1', reference: reference ?? '', amount: '1.50', currency },
  })
  expect(await pageOf(id)).toMatch(/<dt>Refund<\/dt>\s*<dd>1\.50 INR<\/dd>/)
})

it('says how much of a withdrawal is refunded', async () => {
  const kind = { kind: 'withdrawal', fields: { dest: 'asha@upi', dest_name: 'Asha' } } as const
  const { id } = await acceptTransaction(app.deps, reportedBy(wallet, kind))
  const agreed = await confirm(app.deps, id)
  await receiveUnits(app.deps, { ...agreed, amount: '3' }, { sender: wallet })
  expect(await pageOf(id)).toMatch(/<dt>Refund<\/dt>\s*<dd>3 MUMBAI<\/dd>/)
})
