import type { Demand } from './check-anchor.ts'
import { tokenOf } from './sep10.ts'
import { demand, demandOk, demandRefusal, member } from './visit.ts'

export const sep12: readonly Demand[] = [
  {
    check: 'sep12-token',
    demand: 'Customers’ details are for whoever logged in: 401 or 403 without a token.',
    meaning: 'Details of customers would be open to strangers.',
    see: async visit =>
      demandRefusal(await visit.ask(`${visit.endpoints.kycServer}/customer`), 'No token', 401, 403),
  },
  {
    check: 'sep12-unknown',
    demand: 'A customer nobody knows is NEEDS_INFO, without an id, with the fields that are needed.',
    meaning: 'Wallets cannot tell their users what the anchor wants to know.',
    see: async visit => {
      const answer = await visit.ask(`${visit.endpoints.kycServer}/customer`, { token: await tokenOf(visit) })
      demandOk(answer, 'The customer')
      const status = member(answer.json, 'status')
      demand(status === 'NEEDS_INFO', `The status is ${String(status)}.`)
      demand(member(answer.json, 'id') === undefined, 'It has an id.')
      const fields = member(answer.json, 'fields')
      demand(typeof fields === 'object' && fields !== null, 'It has no fields.')
      const bad = Object.entries(fields).find(
        ([, field]) =>
          typeof member(field, 'type') !== 'string' || typeof member(field, 'description') !== 'string',
      )
      demand(!bad, `The field ${bad?.[0]} lacks type or description.`)
    },
  },
  {
    check: 'sep12-unknown-id',
    demand: 'The id of a customer that is not the wallet’s is answered with 404.',
    meaning: 'Customers of other wallets would be open to this one.',
    see: async visit => {
      const url = `${visit.endpoints.kycServer}/customer?id=00000000-0000-4000-8000-000000000000`
      demandRefusal(await visit.ask(url, { token: await tokenOf(visit) }), 'An id of nobody', 404)
    },
  },
]
