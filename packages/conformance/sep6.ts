import type { Demand } from './check-anchor.ts'
import { tokenOf } from './sep10.ts'
import { demand, demandOk, demandRefusal, member } from './visit.ts'

export const sep6: readonly Demand[] = [
  {
    check: 'sep6-info',
    demand: '/info says that the asset can be deposited, withdrawn and exchanged, withdrawals by type.',
    meaning: 'Wallets that have their own forms do not offer the asset.',
    see: async visit => {
      const answer = await visit.ask(`${visit.endpoints.transferServer}/info`)
      demandOk(answer, '/info')
      const { code } = visit.anchor.asset
      for (const side of ['deposit', 'withdraw', 'deposit-exchange', 'withdraw-exchange']) {
        demand(member(answer.json, side, code, 'enabled') === true, `${side} of ${code} is not enabled.`)
      }
      const types = member(answer.json, 'withdraw', code, 'types')
      demand(typeof types === 'object' && types !== null, 'withdraw names no types.')
    },
  },
  ...(['deposit', 'withdraw'] as const).map(side => ({
    check: `sep6-${side}-token`,
    demand: `A ${side === 'deposit' ? 'deposit' : 'withdrawal'} needs a token: exactly 403 without one.`,
    meaning: 'Strangers could begin transactions in the name of others.',
    see: async (visit: Parameters<Demand['see']>[0]) => {
      const query = new URLSearchParams({ asset_code: visit.anchor.asset.code })
      const answer = await visit.ask(`${visit.endpoints.transferServer}/${side}?${query}`)
      demandRefusal(answer, 'No token', 403)
      const type = member(answer.json, 'type')
      demand(type === 'authentication_required', `The refusal’s type is ${String(type)}.`)
    },
  })),
  {
    check: 'sep6-unknown-transaction',
    demand: 'A transaction that is not the wallet’s is answered with 404.',
    meaning: 'Transactions of other wallets would be open to this one.',
    see: async visit => {
      const url = `${visit.endpoints.transferServer}/transaction?id=00000000-0000-4000-8000-000000000000`
      demandRefusal(await visit.ask(url, { token: await tokenOf(visit) }), 'An id of nobody', 404)
    },
  },
]
