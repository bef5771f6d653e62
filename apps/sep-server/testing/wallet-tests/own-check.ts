import { checkAnchor } from '@windlass/wallet-checks/check-anchor.ts'
import { createOutbound, type Outbound, type OutboundAnswer } from '@windlass/service/outbound/outbound.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { running } from './anchor-under-test.ts'

/** What of an answer is changed on its way to the checker; null: nothing. */
type Spoil = (url: URL, answer: OutboundAnswer, method: string) => Partial<OutboundAnswer> | null

describe('the wallet compatibility check', () => {
  let outbound: Outbound
  beforeAll(() => {
    const ingress = { suffix: 'anchors.localhost', url: `http://127.0.0.1:${running.frontPort}` }
    outbound = createOutbound({ ingress, allowPrivate: true })
  })
  afterAll(() => outbound.close())

  const check = (spoil: Spoil = () => null) => {
    const { plan, publicUrl, accounts, network } = running.anchor
    const request: Outbound['request'] = async (url, init) => {
      const answer = await outbound.request(url, init)
      return { ...answer, ...spoil(new URL(url), answer, init?.method ?? 'GET') }
    }
    const anchor = {
      publicUrl,
      homeDomain: plan.homeDomain,
      networkPassphrase: network.passphrase,
      signingKey: accounts.signing,
      asset: { code: plan.asset.code, issuer: accounts.issuer },
      accounts: Object.values(accounts),
      amount: plan.limits.min,
    }
    return checkAnchor(anchor, { outbound: { ...outbound, request }, now: () => new Date() })
  }

  it('passes, and leaves no customer, quote or transaction behind', async () => {
    const rows = () =>
      running.query(`select (select count(*) from sep.transactions) as transactions,
        (select count(*) from sep.quotes) as quotes, (select count(*) from business.customers) as customers`)
    const before = await rows()
    const results = await check()
    expect(results.filter(({ passed }) => !passed)).toEqual([])
    expect(new Set(results.map(({ sep }) => sep))).toEqual(new Set([1, 6, 10, 12, 24, 38]))
    expect(await rows()).toEqual(before)
  })

  const at =
    (path: string, change: (answer: OutboundAnswer) => Partial<OutboundAnswer>, method?: string): Spoil =>
    (url, answer, used) =>
      url.pathname === path && (method ?? used) === used ? change(answer) : null
  const edit = (from: string | RegExp, to: string) => (answer: OutboundAnswer) => ({
    text: answer.text.replace(from, to),
  })
  const open = () => ({ status: 200, text: '{"id":"1","type":"interactive_customer_info_needed"}' })
  const toml = '/.well-known/stellar.toml'

  it.each<[string, Spoil, string[]]>([
    [
      'a file for downloads',
      at(toml, () => ({ headers: { 'access-control-allow-origin': '*' } })),
      ['sep1-type'],
    ],
    ['a file for one origin', at(toml, () => ({ headers: { 'content-type': 'text/plain' } })), ['sep1-cors']],
    ['another key', at(toml, edit(/SIGNING_KEY = "G/, 'SIGNING_KEY = "X')), ['sep1-identity']],
    ['no quote server', at(toml, edit(/ANCHOR_QUOTE_SERVER/, 'QUOTES')), ['sep1-endpoints']],
    ['an asset without its anchor', at(toml, edit(/anchor_asset =/, 'anchor =')), ['sep1-currency']],
    ['more than a challenge', at('/auth', edit('{', '{"hint":1,'), 'GET'), ['sep10-challenge']],
    [
      'logins that never end in a token',
      at('/auth', edit('"token"', '"jwt"'), 'POST'),
      [
        'sep10-login',
        'sep10-replay',
        'sep12-unknown',
        'sep12-unknown-id',
        'sep24-unknown-transaction',
        'sep24-history',
        'sep24-forged-token',
        'sep24-unknown-asset',
        'sep6-unknown-transaction',
      ],
    ],
    [
      'refusals that are logins',
      at('/auth', ({ status }) => (status === 400 ? { status: 200 } : {}), 'POST'),
      ['sep10-other-signature', 'sep10-replay'],
    ],
    [
      'customers for everybody',
      at('/sep12/customer', answer => (answer.status === 403 ? open() : {})),
      ['sep12-token'],
    ],
    ['fields without a type', at('/sep12/customer', edit(/"type":"string",/, '')), ['sep12-unknown']],
    [
      'tokens of anybody',
      at('/sep24/transactions', () => ({ status: 200, text: '{"transactions":[]}' })),
      ['sep24-forged-token', 'sep24-unknown-asset'],
    ],
    [
      'refusals that pages of other origins cannot read',
      at('/sep24/transactions/deposit/interactive', () => ({ headers: {} }), 'POST'),
      ['sep24-cors'],
    ],
    [
      'pages that leave the wallet that opened them',
      at('/interactive/start', () => ({ headers: { 'cross-origin-opener-policy': 'same-origin' } })),
      ['sep24-opener'],
    ],
    [
      'one account for all who share it',
      (url, answer) => (url.searchParams.get('account')?.startsWith('M') ? { ...answer, status: 400 } : null),
      ['sep10-muxed'],
    ],
    ['no word on fees', at('/sep24/info', edit('"fee":', '"charge":')), ['sep24-info']],
    ['deposits for everybody', at('/sep24/transactions/deposit/interactive', open), ['sep24-deposit-token']],
    ['one answer for every id', at('/sep6/transaction', open), ['sep6-unknown-transaction']],
    [
      'currencies without methods',
      at('/sep38/info', edit(/sell_delivery_methods/g, 'methods')),
      ['sep38-info'],
    ],
    ['401 instead of 403', at('/sep6/deposit', () => ({ status: 401 })), ['sep6-deposit-token']],
  ])('finds %s', async (_what, spoil, expected) => {
    const failed = (await check(spoil)).filter(({ passed }) => !passed)
    expect(failed.map(({ name }) => name).sort()).toEqual([...expected].sort())
    for (const { detail } of failed) expect(detail).toMatch(/\w/)
  })
})
