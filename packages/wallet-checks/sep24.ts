import { createHmac } from 'node:crypto'
import { codeOf } from './asset.ts'
import { tokenOf } from './sep10.ts'
import { ensure, ensureOk, ensureRefused, member, type Check } from './visit.ts'

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

/** The same claims without a signature, signed with another key, and with a changed signature. */
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

export const sep24: readonly Check[] = [
  {
    name: 'sep24-info',
    requirement:
      '/info says that the asset can be deposited and withdrawn, and whether a fee endpoint exists.',
    impact: 'Wallets do not offer the asset.',
    run: async visit => {
      const answer = await visit.ask(`${visit.endpoints.transferServerSep24}/info`)
      ensureOk(answer, '/info')
      const code = codeOf(visit.anchor.asset)
      for (const side of ['deposit', 'withdraw']) {
        ensure(member(answer.json, side, code, 'enabled') === true, `${side} of ${code} is not enabled.`)
      }
      ensure(typeof member(answer.json, 'fee', 'enabled') === 'boolean', 'fee.enabled is missing.')
    },
  },
  ...(['deposit', 'withdraw'] as const).map(side => ({
    name: `sep24-${side}-token`,
    requirement: `A ${side === 'deposit' ? 'deposit' : 'withdrawal'} needs a token: 403 without one.`,
    impact: 'Strangers could start transactions for others.',
    run: async (visit: Parameters<Check['run']>[0]) => {
      const url = `${visit.endpoints.transferServerSep24}/transactions/${side}/interactive`
      const json = { asset_code: codeOf(visit.anchor.asset) }
      ensureRefused(await visit.ask(url, { method: 'POST', json }), 'No token', 403)
    },
  })),
  {
    name: 'sep24-forged-token',
    requirement: 'A forged token is refused with 403.',
    impact: 'Anyone could act as any customer.',
    run: async visit => {
      const query = new URLSearchParams({ asset_code: codeOf(visit.anchor.asset) })
      const url = `${visit.endpoints.transferServerSep24}/transactions?${query}`
      for (const token of forgeriesOf(await tokenOf(visit))) {
        ensureRefused(await visit.ask(url, { token }), 'A forged token', 403)
      }
    },
  },
  {
    name: 'sep24-cors',
    requirement: 'Web pages of every origin can read answers and errors, preflights included.',
    impact: 'Wallets that run in a browser cannot use the anchor.',
    run: async visit => {
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
      ensure(preflight.status < 300, `The preflight was answered with ${preflight.status}.`)
      const refusal = await visit.ask(url, { method: 'POST', headers: origin, json: {} })
      for (const [what, { headers }] of Object.entries({ preflight, error: refusal })) {
        const allowed = String(headers['access-control-allow-origin'] ?? 'missing')
        ensure(allowed === '*', `Access-Control-Allow-Origin of the ${what} is ${allowed}, not *.`)
      }
    },
  },
  {
    name: 'sep24-opener',
    requirement: 'A page keeps the window of the wallet that opened it.',
    impact: 'The wallet takes the page for closed at once: it gets no message and never pays a withdrawal.',
    run: async visit => {
      // Without a link the page says so; its headers are those of every page, on redirects too.
      const { headers } = await visit.ask(`${visit.anchor.publicUrl}/interactive/start`)
      const policy = String(headers['cross-origin-opener-policy'] ?? 'unsafe-none')
      ensure(
        /^unsafe-none\b/.test(policy),
        `Cross-Origin-Opener-Policy of the page is ${policy}, not unsafe-none or none at all.`,
      )
    },
  },
  {
    name: 'sep24-unknown-transaction',
    requirement: 'The id of another wallet’s transaction is answered with 404.',
    impact: 'A wallet could read the transactions of other wallets.',
    run: async visit => {
      const url = `${visit.endpoints.transferServerSep24}/transaction?id=${UNKNOWN_ID}`
      ensureRefused(await visit.ask(url, { token: await tokenOf(visit) }), 'An unknown id', 404)
    },
  },
  {
    name: 'sep24-history',
    requirement: 'The history of a new wallet is empty.',
    impact: 'Wallets show no history, or someone else’s.',
    run: async visit => {
      const query = new URLSearchParams({ asset_code: codeOf(visit.anchor.asset) })
      const url = `${visit.endpoints.transferServerSep24}/transactions?${query}`
      const answer = await visit.ask(url, { token: await tokenOf(visit) })
      ensureOk(answer, 'The history')
      const transactions = member(answer.json, 'transactions')
      ensure(Array.isArray(transactions), 'The answer has no transactions.')
      ensure(transactions.length === 0, 'It has transactions.')
    },
  },
  {
    name: 'sep24-unknown-asset',
    requirement: 'An unknown asset is refused with 400.',
    impact: 'Wallets show the anchor for assets that it does not support.',
    run: async visit => {
      const url = `${visit.endpoints.transferServerSep24}/transactions?asset_code=NOSUCHASSET`
      ensureRefused(await visit.ask(url, { token: await tokenOf(visit) }), 'An unknown asset', 400)
    },
  },
]
