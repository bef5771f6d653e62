import { readScopes } from '@windlass/contracts/access.ts'
import type { StatementLine } from '@windlass/contracts/anchor/bank-files.ts'
import { memberRoles } from '@windlass/contracts/realm.ts'
import { READER_HEADER } from '@windlass/service/http/platform-proof.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asPlatform } from '../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'

const NAME = 'Asha Rao'
const ACCOUNT = 'DE02120300000000202051'

let anchor: BankAnchor
let lines: StatementLine[]
beforeAll(async () => {
  anchor = await BankAnchor.start()
  const booking = { amount: '70', name: NAME, account: ACCOUNT, text: `from ${NAME}` }
  await anchor.read('SEPA', 'a.xml', camt053([booking]))
  await anchor.read('SEPA', 'b.xml', camt053([{ ...booking, bankReference: 'again' }]))
  lines = (await anchor.get('/statement-lines')).json()
})
afterAll(() => anchor.close())

/** What names those who pay. */
const doors = () => [
  '/statement-lines',
  ...lines.map(({ id }) => `/statement-lines/${id}/twins`),
  '/payouts',
  ...lines.map(({ statementId }) => `/statements/${statementId}/file`),
]

async function read(headers: Record<string, string>): Promise<string> {
  const answers = []
  for (const path of doors())
    answers.push((await anchor.app.server.app.inject({ url: `/api/v1${path}`, headers })).body)
  return answers.join('\n')
}
const ofPerson = (scopes: readonly string[]) => ({
  ...asPlatform(anchor.deps.config.secrets),
  [READER_HEADER]: scopes.join(),
})

describe('names and accounts of payers', () => {
  it('are there to be read', () => {
    expect(lines.map(({ party }) => party)).toContainEqual(
      expect.objectContaining({ name: NAME, account: ACCOUNT }),
    )
  })

  const seeing = ['owner', 'admin', 'compliance', 'finance', 'auditor']
  it.each(memberRoles.map(role => [role, seeing.includes(role)] as const))(
    'are shown to %s: %s',
    async (role, sees) => {
      const text = await read(ofPerson(readScopes(role)))
      expect([text.includes(NAME), text.includes(ACCOUNT)]).toEqual([sees, sees])
      // The rest of a line is for everyone.
      expect(text).toContain(lines[0]?.id)
    },
  )

  it('are shown to a key with the scope payers, and to no default key', async () => {
    expect(await read({ authorization: 'Bearer key' })).toContain(NAME)
    const text = await read({ authorization: 'Bearer default' })
    expect([text.includes(NAME), text.includes(ACCOUNT)]).toEqual([false, false])
  })

  it('are shown to nobody who only says for whom they read', async () => {
    const text = await read({ authorization: 'Bearer default', [READER_HEADER]: 'read,payers' })
    expect(text).not.toContain(NAME)
  })
})
