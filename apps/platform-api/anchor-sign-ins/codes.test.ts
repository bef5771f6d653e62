import {
  deleteCustomerAccount,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import { requestCodeAtAnchor, signInAtAnchor } from '@windlass/contracts/internal/internal.ts'
import {
  confirmOperator,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anchorOf, problemOf, startOutside, type TestAnchor } from '../testing/anchor-sign-ins.ts'
import { type TestApp, productionEnv, testApp } from '../testing/app.ts'
import { mailedCode, otherCode, signInCustomer, signInOperator } from '../testing/sign-in.ts'

let app: TestApp
let outside: Awaited<ReturnType<typeof startOutside>>
let [hostile, honest]: TestAnchor[] = []
beforeAll(async () => {
  outside = await startOutside()
  app = await testApp({ env: { HORIZON_URL: outside.url } })
  hostile = await anchorOf(app, 'hostile', outside.url)
  honest = await anchorOf(app, 'honest', outside.url)
})
afterAll(async () => {
  await app.close()
  outside.stop()
})

const at = (anchor: TestAnchor | undefined): TestAnchor => {
  if (!anchor) throw new Error('the anchors were not made')
  return anchor
}
const newestMailTo = (email: string) => app.mails.findLast(({ to }) => to === email)
const refused = '401 code-not-accepted'

describe("a code that is typed on an anchor's page", () => {
  it('does not sign the anchor in at the portal, and the try is counted', async () => {
    const email = 'victim@codes.example'
    await signInCustomer(app, email)
    await at(hostile).client.call(requestCodeAtAnchor, { body: { email } })
    const code = await mailedCode(app, email)
    expect(await problemOf(app.client().call(verifyCustomerCode, { body: { email, code } }))).toBe(refused)
    const { failures } = await app.database.db
      .selectFrom('code_failures')
      .select('failures')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    expect(failures).toBe(1)
    // It is still good where it belongs.
    expect(await problemOf(at(hostile).client.call(signInAtAnchor, { body: { email, code } }))).toBe('done')
  })

  it('is good at no other anchor, and deletes nothing', async () => {
    const email = 'elsewhere@codes.example'
    const customer = await signInCustomer(app, email)
    app.clock.advance(61_000)
    await at(hostile).client.call(requestCodeAtAnchor, { body: { email } })
    const code = await mailedCode(app, email)
    expect(await problemOf(at(honest).client.call(signInAtAnchor, { body: { email, code } }))).toBe(refused)
    expect(await problemOf(customer.call(deleteCustomerAccount, { body: { code } }))).toBe(
      '403 confirmation-refused',
    )
  })

  it('wears out no code of the portal by misplaced tries, of which five are counted', async () => {
    const email = 'worn@codes.example'
    await app.client().call(requestCustomerCode, { body: { email } })
    const code = await mailedCode(app, email)
    for (let n = 1; n <= 30; n++) {
      const body = { email, code: otherCode(code, n) }
      expect(await problemOf(at(hostile).client.call(signInAtAnchor, { body }))).toBe(refused)
    }
    const { failures } = await app.database.db
      .selectFrom('code_failures')
      .select('failures')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    expect(failures).toBe(5)
    expect(await problemOf(app.client().call(verifyCustomerCode, { body: { email, code } }))).toBe('done')
  })

  it.each([
    ['en', 'is your code for hostile', 'It signs you in there with the wallet'],
    ['es', 'es su código para hostile', 'Con él inicia sesión allí con la billetera'],
  ])('comes in an email that names the anchor and the wallet (%s)', async (language, subject, sentence) => {
    const email = `named-${language}@codes.example`
    await app
      .client({ cookie: `windlass_language=${language}` })
      .call(requestCustomerCode, { body: { email } })
    const body = { email, code: await mailedCode(app, email) }
    await app.client({ cookie: `windlass_language=${language}` }).call(verifyCustomerCode, { body })
    const account = generateKey().publicKey
    await at(hostile).client.call(requestCodeAtAnchor, { body: { email, account, memo: '77' } })
    await app.drain()
    const mail = newestMailTo(email)
    expect(mail?.subject).toContain(subject)
    for (const text of [sentence, account, 'memo 77', 'hostile.anchors.localhost'])
      expect(mail?.text).toContain(text)
  })

  it('names nothing but an address as the wallet', async () => {
    const email = 'phished@codes.example'
    const body = { email, account: 'Call +1 555 0100 to keep your money' }
    expect(await problemOf(at(hostile).client.call(requestCodeAtAnchor, { body }))).toBe(
      '400 validation-failed',
    )
    expect(newestMailTo(email)).toBeUndefined()
  })
})

it('a code of the portal is good at no anchor, and its email says so', async () => {
  const email = 'portal@codes.example'
  await app.client().call(requestCustomerCode, { body: { email } })
  const code = await mailedCode(app, email)
  expect(newestMailTo(email)?.text).toContain('never on the page of an anchor or a wallet')
  expect(await problemOf(at(hostile).client.call(signInAtAnchor, { body: { email, code } }))).toBe(refused)
})

it('every code is good for the use it was asked for, and for no other', async () => {
  const operator = await signInOperator(app, 'uses@codes.example')
  const customer = await signInCustomer(app, 'uses@codes.example')
  const email = 'uses@codes.example'
  const portal = app.client()
  /** Where a code is asked for, and where it is entered. */
  const uses = {
    'operator sign-in': {
      ask: () => portal.call(requestOperatorCode, { body: { email } }),
      enter: (code: string) => portal.call(verifyOperatorCode, { body: { email, code } }),
    },
    'operator confirmation': {
      ask: () => portal.call(requestOperatorCode, { body: { email, purpose: 'confirmation' } }),
      enter: (code: string) => operator.call(confirmOperator, { body: { code } }),
    },
    'customer sign-in': {
      ask: () => portal.call(requestCustomerCode, { body: { email } }),
      enter: (code: string) => portal.call(verifyCustomerCode, { body: { email, code } }),
    },
    'customer deletion': {
      ask: () => portal.call(requestCustomerCode, { body: { email, purpose: 'deletion' } }),
      enter: (code: string) => customer.call(deleteCustomerAccount, { body: { code } }),
    },
    'an anchor': {
      ask: () => at(hostile).client.call(requestCodeAtAnchor, { body: { email } }),
      enter: (code: string) => at(hostile).client.call(signInAtAnchor, { body: { email, code } }),
    },
    'another anchor': {
      ask: () => at(honest).client.call(requestCodeAtAnchor, { body: { email } }),
      enter: (code: string) => at(honest).client.call(signInAtAnchor, { body: { email, code } }),
    },
  }
  const names = Object.keys(uses) as (keyof typeof uses)[]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.constantFrom(...names),
      fc.constantFrom(...names),
      async (asked, alsoAsked, entered) => {
        // It would end the customer of the other runs, and has a test of its own.
        fc.pre(!(asked === 'customer deletion' && entered === asked))
        await app.database.pool.query('delete from emailed_codes; delete from code_failures')
        await uses[alsoAsked].ask()
        await uses[asked].ask()
        const code = await mailedCode(app, email)
        const outcome = await problemOf(uses[entered].enter(code))
        if (entered === asked) expect(outcome, `${asked} at ${entered}`).toBe('done')
        else
          expect(outcome, `${asked} at ${entered}`).toMatch(
            /^(401 code-not-accepted|403 confirmation-refused)$/,
          )
      },
    ),
    { numRuns: 80 },
  )
})

it('one client at an anchor takes no codes from the other customers there', async () => {
  const strict = await testApp({ env: { ...productionEnv, HORIZON_URL: outside.url } })
  try {
    const anchor = await anchorOf(strict, 'honest', outside.url)
    const askFrom = (clientAddress: string, email: string) =>
      anchor.client.call(requestCodeAtAnchor, { body: { email, clientAddress } })
    for (let n = 0; n < 501; n++) await askFrom('203.0.113.66', `asked-${n}@codes.example`)
    await askFrom('203.0.113.7', 'customer@codes.example')
    await strict.drain()
    const mailed = strict.mails.map(({ to }) => to)
    expect(mailed.filter(to => to.startsWith('asked-'))).toHaveLength(20)
    expect(mailed).toContain('customer@codes.example')
  } finally {
    await strict.close()
  }
})
