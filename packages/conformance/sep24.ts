import { createHmac } from 'node:crypto'
import type { Demand } from './check-anchor.ts'
import { tokenOf } from './sep10.ts'
import { demand, demandOk, demandRefusal, member } from './visit.ts'

const NOBODYS = '00000000-0000-4000-8000-000000000000'

/** The same claims under no signature, under none of the anchor's, and under one that was changed. */
function forgeriesOf(token: string): string[] {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  const other = createHmac('sha256', 'secret').update(`${head}.${claims}`).digest('base64url')
  const first = signature.startsWith('A') ? 'B' : 'A'
  return [
    `${none}.${claims}.`,
    `${head}.${claims}.${other}`,
    `${head}.${claims}.${first}${signature.slice(1)}`,
  ]
}

export const sep24: readonly Demand[] = [
  {
    check: 'sep24-info',
    demand: '/info says that the asset can be deposited and withdrawn, and whether there is a fee endpoint.',
    meaning: 'Wallets do not offer the asset.',
    see: async visit => {
      const answer = await visit.ask(`${visit.endpoints.transferServerSep24}/info`)
      demandOk(answer, '/info')
      const { code } = visit.anchor.asset
      for (const side of ['deposit', 'withdraw']) {
        demand(member(answer.json, side, code, 'enabled') === true, `${side} of ${code} is not enabled.`)
      }
      demand(typeof member(answer.json, 'fee', 'enabled') === 'boolean', 'It says nothing of fee.')
    },
  },
  ...(['deposit', 'withdraw'] as const).map(side => ({
    check: `sep24-${side}-token`,
    demand: `A ${side === 'deposit' ? 'deposit' : 'withdrawal'} needs a token: 403 without one.`,
    meaning: 'Strangers could begin transactions in the name of others.',
    see: async (visit: Parameters<Demand['see']>[0]) => {
      const url = `${visit.endpoints.transferServerSep24}/transactions/${side}/interactive`
      const json = { asset_code: visit.anchor.asset.code }
      demandRefusal(await visit.ask(url, { method: 'POST', json }), 'No token', 403)
    },
  })),
  {
    check: 'sep24-forged-token',
    demand: 'A token that somebody else made is worth as much as none: 403.',
    meaning: 'Anybody could act as anybody.',
    see: async visit => {
      const query = new URLSearchParams({ asset_code: visit.anchor.asset.code })
      const url = `${visit.endpoints.transferServerSep24}/transactions?${query}`
      for (const token of forgeriesOf(await tokenOf(visit))) {
        demandRefusal(await visit.ask(url, { token }), 'A forged token', 403)
      }
    },
  },
  {
    check: 'sep24-cors',
    demand: 'Answers and refusals may be read by web pages of every origin, after a preflight too.',
    meaning: 'Wallets that run in a browser cannot speak to the anchor.',
    see: async visit => {
      const url = `${visit.endpoints.transferServerSep24}/transactions/deposit/interactive`
      const origin = { origin: 'https://wallet.example' }
      const preflight = await visit.ask(url, {
        method: 'OPTIONS',
        headers: {
          ...origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
      demand(preflight.status < 300, `The preflight was answered with ${preflight.status}.`)
      const refusal = await visit.ask(url, { method: 'POST', headers: origin, json: {} })
      for (const [what, { headers }] of Object.entries({ preflight, refusal })) {
        const allowed = String(headers['access-control-allow-origin'] ?? 'nothing')
        demand(allowed === '*', `Access-Control-Allow-Origin of the ${what} is ${allowed}, not *.`)
      }
    },
  },
  {
    check: 'sep24-unknown-transaction',
    demand: 'A transaction that is not the wallet’s is answered with 404.',
    meaning: 'Transactions of other wallets would be open to this one.',
    see: async visit => {
      const url = `${visit.endpoints.transferServerSep24}/transaction?id=${NOBODYS}`
      demandRefusal(await visit.ask(url, { token: await tokenOf(visit) }), 'An id of nobody', 404)
    },
  },
  {
    check: 'sep24-history',
    demand: 'A wallet that never did anything has an empty history.',
    meaning: 'Wallets show no history, or somebody else’s.',
    see: async visit => {
      const query = new URLSearchParams({ asset_code: visit.anchor.asset.code })
      const url = `${visit.endpoints.transferServerSep24}/transactions?${query}`
      const answer = await visit.ask(url, { token: await tokenOf(visit) })
      demandOk(answer, 'The history')
      const transactions = member(answer.json, 'transactions')
      demand(Array.isArray(transactions), 'It has no transactions.')
      demand(transactions.length === 0, 'It holds transactions.')
    },
  },
  {
    check: 'sep24-unknown-asset',
    demand: 'An asset of somebody else is refused with 400.',
    meaning: 'Wallets take the anchor for one of assets that it does not know.',
    see: async visit => {
      const url = `${visit.endpoints.transferServerSep24}/transactions?asset_code=NOSUCHASSET`
      demandRefusal(await visit.ask(url, { token: await tokenOf(visit) }), 'An asset of nobody', 400)
    },
  },
]
