import { codeOf } from './asset.ts'
import { tokenOf } from './sep10.ts'
import { ensure, ensureOk, ensureRefused, member, type Check } from './visit.ts'

export const sep6: readonly Check[] = [
  {
    name: 'sep6-info',
    requirement:
      '/info says that the asset can be deposited, withdrawn and exchanged, with the types of withdrawal.',
    impact: 'Wallets with their own forms do not offer the asset.',
    run: async visit => {
      const answer = await visit.ask(`${visit.endpoints.transferServer}/info`)
      ensureOk(answer, '/info')
      const code = codeOf(visit.anchor.asset)
      for (const side of ['deposit', 'withdraw', 'deposit-exchange', 'withdraw-exchange']) {
        ensure(member(answer.json, side, code, 'enabled') === true, `${side} of ${code} is not enabled.`)
      }
      const types = member(answer.json, 'withdraw', code, 'types')
      ensure(typeof types === 'object' && types !== null, 'withdraw has no types.')
    },
  },
  ...(['deposit', 'withdraw'] as const).map(side => ({
    name: `sep6-${side}-token`,
    requirement: `A ${side === 'deposit' ? 'deposit' : 'withdrawal'} needs a token: exactly 403 without one.`,
    impact: 'Strangers could start transactions for others.',
    run: async (visit: Parameters<Check['run']>[0]) => {
      const query = new URLSearchParams({ asset_code: codeOf(visit.anchor.asset) })
      const answer = await visit.ask(`${visit.endpoints.transferServer}/${side}?${query}`)
      ensureRefused(answer, 'No token', 403)
      const type = member(answer.json, 'type')
      ensure(type === 'authentication_required', `The error’s type is ${String(type)}.`)
    },
  })),
  {
    name: 'sep6-unknown-transaction',
    requirement: 'The id of another wallet’s transaction is answered with 404.',
    impact: 'A wallet could read the transactions of other wallets.',
    run: async visit => {
      const url = `${visit.endpoints.transferServer}/transaction?id=00000000-0000-4000-8000-000000000000`
      ensureRefused(await visit.ask(url, { token: await tokenOf(visit) }), 'An unknown id', 404)
    },
  },
]
