import { tokenOf } from './sep10.ts'
import { ensure, ensureOk, ensureRefused, member, type Check } from './visit.ts'

export const sep12: readonly Check[] = [
  {
    name: 'sep12-token',
    requirement: 'Customer details need a token: 401 or 403 without one.',
    impact: 'Details of customers would be open to strangers.',
    run: async visit =>
      ensureRefused(await visit.ask(`${visit.endpoints.kycServer}/customer`), 'No token', 401, 403),
  },
  {
    name: 'sep12-unknown',
    requirement: 'An unknown customer is NEEDS_INFO, without an id, with the required fields.',
    impact: 'Wallets cannot ask their users for the required details.',
    run: async visit => {
      const answer = await visit.ask(`${visit.endpoints.kycServer}/customer`, { token: await tokenOf(visit) })
      ensureOk(answer, 'The customer')
      const status = member(answer.json, 'status')
      ensure(status === 'NEEDS_INFO', `The status is ${String(status)}.`)
      ensure(member(answer.json, 'id') === undefined, 'The answer has an id.')
      const fields = member(answer.json, 'fields')
      ensure(typeof fields === 'object' && fields !== null, 'The answer has no fields.')
      const bad = Object.entries(fields).find(
        ([, field]) =>
          typeof member(field, 'type') !== 'string' || typeof member(field, 'description') !== 'string',
      )
      ensure(!bad, `The field ${bad?.[0]} lacks type or description.`)
    },
  },
  {
    name: 'sep12-unknown-id',
    requirement: 'The id of another wallet’s customer is answered with 404.',
    impact: 'A wallet could read the customers of other wallets.',
    run: async visit => {
      const url = `${visit.endpoints.kycServer}/customer?id=00000000-0000-4000-8000-000000000000`
      ensureRefused(await visit.ask(url, { token: await tokenOf(visit) }), 'An unknown id', 404)
    },
  },
]
