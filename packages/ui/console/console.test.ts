import { ProblemError } from '@windlass/client/client.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auditEntries, factsOf, phraseOf } from './audit-entry.ts'
import { formatDateTime } from '../formats.ts'
import { cellOf } from './csv.ts'
import { describeError } from './errors.ts'
import './problem-details.ts'
import { withIdempotencyKeys } from './idempotency-key.ts'
import { ownPath, withQuery } from './paths.ts'

describe('a cell of an export', () => {
  test.each([
    [null, ''],
    ['250.5', '250.5'],
    ['-3', '-3'],
    ['a "b", c', '"a ""b"", c"'],
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['+49', "'+49"],
    ['@cmd', "'@cmd"],
  ])('%s is written so that no spreadsheet runs or splits it', (value, cell) => {
    expect(cellOf(value)).toBe(cell)
  })
})

test('an error has its times in the zone and the words of the reader', () => {
  const detail = 'You can do it from 2026-12-01T01:23:45.000Z on. Until 2026-12-02T00:00:00Z, ask an owner.'
  const problem = {
    ...{ type: '/docs/problems/x', title: 'X', status: 409 },
    detail,
    code: 'second-person-needed',
  }
  const shown = describeError(new ProblemError(409, { ...problem, requestId: 'r1' }, new Response())).detail
  const [from, until] = ['2026-12-01T01:23:45.000Z', '2026-12-02T00:00:00Z'].map(formatDateTime)
  expect(shown).toBe(`You can do it from ${from} on. Until ${until}, ask an owner.`)
})

describe('an audit entry', () => {
  test('reads as a sentence, with before and after', () => {
    const phrase = (action: string, act?: string) => phraseOf({ action, details: { act } })
    expect(phrase('api-key.revoked')).toBe('revoked an API key')
    expect(phrase('audit.signing_started')).toBe('began to sign the audit log')
    expect(phrase('anchor.later-thing')).toBe('recorded “anchor later thing”')
    expect(phrase('payout-file.asked', 'created')).toBe('began: “created a payout file”')
    expect(phrase('payout-file.unknown', 'created')).toBe(
      'began, with unknown outcome: “created a payout file”',
    )
    expect(factsOf({ userId: 'usr_2', from: 'member', to: 'admin' })).toEqual([
      ['Change', 'member → admin'],
      ['User ID', 'usr_2'],
    ])
    expect(factsOf({ to: 'admin', count: 2 })).toEqual([
      ['To', 'admin'],
      ['Count', '2'],
    ])
    expect(
      factsOf({
        before: { fees: { fixed: '0.5', percentage: '0.005' }, paused: { deposits: null } },
        after: { fees: { fixed: '0.7', percentage: '0.005' }, paused: { deposits: 'Closed' } },
        version: 3,
      }),
    ).toEqual([
      ['Fees › Fixed', '0.5 → 0.7'],
      ['Paused › Deposits', 'none → Closed'],
      ['Version', '3'],
    ])
    expect(factsOf({ rails: [{ rail: 'UPI', on: true }], owner: { name: 'Asha' } })).toEqual([
      ['Rails', 'Rail UPI, On yes'],
      ['Owner › Name', 'Asha'],
    ])
    const [[, time = ''] = []] = factsOf({ at: '2026-11-20T10:00:00.000Z' })
    expect(time).toContain('2026')
    expect(time).not.toMatch(/T\d|Z$/)
    expect(factsOf({ scopes: ['read', 'write'] })).toEqual([['Scopes', 'read and write']])
  })
})

describe('an audit entry of the platform', () => {
  test('has a phrase, whatever the action', () => {
    const platform = join(import.meta.dirname, '../../../apps/platform-api')
    const actions = globSync('*/*.ts', { cwd: platform, exclude: ['node_modules/**'] })
      .filter(file => !file.endsWith('.test.ts'))
      .map(file => readFileSync(join(platform, file), 'utf8'))
      .filter(text => /audit\/(record|remote-act)\.ts|relay\.ts/.test(text))
      .flatMap(text => [...text.matchAll(/(?:action: |[aA]udit\(|record\w*\()[^']*?'([a-z-]+\.[a-z-]+)'/g)])
      .map(([, action = '']) => action)
    expect(actions.length).toBeGreaterThan(30)
    expect(actions.filter(action => !(action in auditEntries.phrases))).toEqual([])
  })
})

describe('the key of a request', () => {
  test('stays until the request is answered for certain, and is of its body', async () => {
    const keys: string[] = []
    let answer: () => Response = () => Response.json({})
    const send = withIdempotencyKeys(async (_, { headers }) => {
      keys.push(new Headers(headers).get('idempotency-key') ?? 'none')
      return answer()
    })
    const post = (body: string) => send('/files', { method: 'POST', body }).catch(() => undefined)
    const lost = [
      () => {
        throw new TypeError('cut')
      },
      () => new Response(null, { status: 503 }),
      () => new Response(null, { status: 409, headers: { 'retry-after': '1' } }),
    ]
    for (answer of lost) await post('a')
    answer = () => new Response(null, { status: 409 })
    await post('b')
    answer = () => Response.json({})
    for (const body of ['a', 'a', 'b']) await post(body)
    await send('/files', { method: 'GET' })
    const [first] = keys
    expect(keys.slice(0, 3)).toEqual([first, first, first])
    expect(keys[4]).toBe(first)
    expect(new Set(keys).size).toBe(5)
    expect(keys.at(-1)).toBe('none')
  })
})

describe('paths', () => {
  test('hold only parameters that have a value', () => {
    expect(withQuery('/fleet', { status: undefined, open: 'a b' })).toBe('/fleet?open=a+b')
    expect(withQuery('/fleet', { status: '' })).toBe('/fleet')
  })

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n\r/evil.example',
    null,
  ])('%s is not a path of the console', given => {
    expect(ownPath(given, '/start')).toBe('/start')
  })
})
