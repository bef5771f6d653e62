import type { Deps } from '../deps.ts'
import { nameOf } from '../people/customers/seal-details.ts'
import { type Answered, askOutside } from '../people/outside-checks/ask.ts'
import { hasPrograms } from '../people/outside-checks/programs.ts'
import { customersOf, residencesOf } from './countries.ts'
import { findTransfer } from './find.ts'

interface Asked {
  /** Whether an answer is missing, so that nothing leaves yet. */
  isLost: boolean
  findings: { key: string; finding: { outside: string } }[]
}

/** Asks the programs of the anchor about the customers and the wallet of a transaction. It takes no connection meanwhile. */
export async function askAbout(deps: Deps, transferId: string): Promise<Asked> {
  const { db } = deps.database
  if (!(await hasPrograms(db))) return { isLost: false, findings: [] }
  const transfer = await findTransfer(db, transferId)
  if (!transfer) return { isLost: false, findings: [] }
  const network = deps.config.anchor.network.passphrase
  const answers: [subject: string, answer: Answered][] = []
  for (const customer of await customersOf(deps, db, transfer)) {
    const name = nameOf(customer)
    if (name === null) continue
    const { birth_date: birthDate } = customer.fields
    const [country] = residencesOf(customer.fields)
    const about = { name, ...(birthDate && { birthDate }), ...(country && { country }), network }
    answers.push([`customer ${customer.id}`, await askOutside(deps, 'person', about)])
  }
  const { stellar_account: account } = transfer
  answers.push([`wallet ${account}`, await askOutside(deps, 'wallet', { account, network })])
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
