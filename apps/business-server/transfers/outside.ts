import type { Deps } from '../deps.ts'
import { nameOf } from '../people/customers/seal-details.ts'
import { askOutside } from '../people/outside-checks/ask.ts'
import { hasPrograms } from '../people/outside-checks/programs.ts'
import { customersOf, residencesOf } from './countries.ts'
import { findTransfer } from './find.ts'

export interface Asked {
  /** Whether an answer is missing, so that nothing leaves yet. */
  isLost: boolean
  findings: { key: string; finding: { outside: string } }[]
}

/** Asks the programs of the anchor together about the customers and the wallet of a transaction. It takes no connection meanwhile. */
export async function askAbout(deps: Deps, transferId: string): Promise<Asked> {
  const { db } = deps.database
  if (!(await hasPrograms(db))) return { isLost: false, findings: [] }
  const transfer = await findTransfer(db, transferId)
  if (!transfer) return { isLost: false, findings: [] }
  const network = deps.config.anchor.network.passphrase
  const ofCustomers = (await customersOf(deps, db, transfer)).flatMap(customer => {
    const name = nameOf(customer)
    if (name === null) return []
    const { birth_date: birthDate } = customer.fields
    const [country] = residencesOf(customer.fields)
    const about = { name, ...(birthDate && { birthDate }), ...(country && { country }), network }
    return [{ subject: `customer ${customer.id}`, asked: askOutside(deps, 'person', about) }]
  })
  const { stellar_account: account } = transfer
  const ofWallet = { subject: `wallet ${account}`, asked: askOutside(deps, 'wallet', { account, network }) }
  const answers = await Promise.all(
    [...ofCustomers, ofWallet].map(async ({ subject, asked }) => [subject, await asked] as const),
  )
  return {
    isLost: answers.some(([, { answer }]) => answer === 'lost'),
    findings: answers.flatMap(([subject, answer]) =>
      answer.answer === 'found'
        ? [
            {
              key: `outside ${subject} ${answer.digest}`,
              finding: { outside: JSON.stringify({ answer: answer.id }) },
            },
          ]
        : [],
    ),
  }
}
