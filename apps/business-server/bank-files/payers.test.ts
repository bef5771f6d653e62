import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import { BankAnchor, camt053, mt940 } from '../testing/bank-anchor.ts'
import { isNamed } from './accounts.ts'
import { detailsOf } from './mt940-details.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  const { id } = await ensureCustomer(anchor.deps, anchor.wallet, null)
  const fields = { first_name: 'Asha', last_name: 'Rao' }
  await changeCustomer(anchor.deps, id, { centralId: 'cus_1', fields })
})
beforeEach(() => anchor.forgetStatements())
afterAll(() => anchor.close())

/** `:86:` of a bank, with its payer and what the payer wrote. */
const dialects: Record<string, (name: string, text: string) => string[]> = {
  'German subfields': (name, text) => [`:86:166?00GUTSCHRIFT?20${text}?30COBADEFFXXX?31DE021?32${name}`],
  'subfields with another separator': (name, text) => [`:86:051>00GUTSCHRIFT>20${text}>30BIC>32${name}`],
  'a name in two subfields': (name, text) => [`:86:166?20${text}?32${name.replace(' ', '?33 ')}`],
  'ABN AMRO': (name, text) => [
    ':86:/TRTP/SEPA OVERBOEKING/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/',
    `${name}/REMI/${text}/EREF/NOTPROVIDED`,
  ],
  ING: (name, text) => [`:86:/EREF/EV123//CNTP/NL32INGB0000012345/INGBNL2A/${name}///REMI/USTD//${text}/`],
  Rabobank: (name, text) => [`:86:/EREF/158140//ORDP//NAME/${name}/REMI/${text}`],
  'words of Dutch banks': (name, text) => [
    ':86:SEPA OVERBOEKING                 IBAN: NL91ABNA0417164300',
    `BIC: ABNANL2A                    NAAM: ${name}`,
    `OMSCHRIJVING: ${text}`,
  ],
}

/** Uploads one booking of a deposit's money, and says what became of it. */
async function pay(details: (reference: string) => string[]) {
  const { id, reference, money } = await anchor.deposit()
  const booking = [`:61:2611201120CR${money.replace('.', ',')}NTRFNONREF//B1`, ...details(reference)]
  const closing = (1000 + Number(money)).toFixed(2).replace('.', ',')
  expect((await anchor.read('SEPA', `${id}.sta`, mt940(booking, closing))).statusCode).toBe(201)
  const [line] = (await anchor.get('/statement-lines?limit=1')).json()
  return { state: await anchor.state(id), name: line.party.name, why: line.reason }
}

const OTHER = 'The payer has another name than the customer.'
const UNREAD = 'The payer’s name cannot be read.'

describe.each(Object.entries(dialects))('in MT940 with %s', (_, bank) => {
  it('the customer funds a deposit, and a third party does not', async () => {
    expect(await pay(reference => bank('Asha Rao', reference))).toMatchObject({
      state: 'funded',
      name: 'Asha Rao',
    })
    await anchor.forgetStatements()
    expect(await pay(reference => bank('Boris Badov', `${reference} of Asha Rao`))).toEqual({
      ...{ state: 'awaiting_funds', name: 'Boris Badov', why: OTHER },
    })
  })

  it.each([
    '?32Asha Rao',
    '>32Asha Rao',
    '/NAME/Asha Rao',
    '//CNTP/NL1/B/Asha Rao///',
    ' NAAM: Asha Rao',
    '?32Asha?33 Rao',
    '?33 Asha Rao',
  ])('a payer who writes “%s” is not the customer', async text => {
    const { state } = await pay(reference => bank('Boris Badov', `${reference}${text}`))
    expect(state).toBe('awaiting_funds')
    await anchor.forgetStatements()
    expect((await pay(reference => bank('Boris Badov', `${text} ${reference}`))).state).toBe('awaiting_funds')
  })

  it('a line without a payer waits', async () => {
    const found = await pay(reference => bank('', `${reference} Asha Rao`))
    expect(found).toMatchObject({ state: 'awaiting_funds', why: UNREAD })
  })

  it('two holders of an account are two payers', async () => {
    for (const both of ['Asha Rao / Boris Badov', 'ASHA RAO EN/OF B BADOV', 'Asha Rao und Boris Badov']) {
      await anchor.forgetStatements()
      const { state, name } = await pay(reference => bank(both, reference))
      expect([both, state, /asha.*badov/i.test(name)]).toEqual([both, 'awaiting_funds', true])
    }
  })
})

describe('in MT940', () => {
  it.each([
    ['the second holder', (reference: string) => [`:86:166?20${reference}?32ASHA RAO?33BORIS BADOV`], OTHER],
    [
      'whose account it is',
      (reference: string) => [`:86:166?20SVWZ+${reference}ABWA+Boris Badov?32Asha Rao`],
      OTHER,
    ],
    [
      'whose money it is',
      (reference: string) => [`:86:/ORDP//NAME/Asha Rao/ULTD/Boris Badov//REMI/${reference}`],
      OTHER,
    ],
    ['who is not named', (reference: string) => [`:86:NEFT CR ASHA RAO ${reference}`], UNREAD],
    ['in the text', (reference: string) => [`:86:Thanks /NAME/Asha Rao/ ${reference}`], UNREAD],
    ['behind the text', (reference: string) => [`:86:166?32Asha Rao?20${reference}?30BANK`], UNREAD],
    [
      'of a bank that names none',
      (reference: string) => [`:86:166?20${reference}?32Asha Rao?30BANK?31DE1`],
      UNREAD,
    ],
  ])('a payer is checked: %s', async (_, details, why) => {
    expect(await pay(details)).toMatchObject({ state: 'awaiting_funds', why })
  })

  it('what a payer writes never names the payer, whatever it is', () => {
    const piece = fc.constantFrom(
      ...'?32 ?33 ?20 ?31 ?60 >32 /NAME/ /REMI/ /CNTP/ /ULTD/ /ORDP/ NAAM: ABWA+ // ? >'.split(' '),
      'Asha Rao',
      ' ',
    )
    const text = fc.array(piece, { maxLength: 8 }).map(all => all.join(''))
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(dialects)), text, (bank, written) => {
        const lines = bank('Boris Badov', written)
        lines[0] = lines[0]?.slice(':86:'.length) ?? ''
        expect(isNamed(detailsOf(lines, 'in').party.name, ['Asha Rao'])).not.toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('in camt.053', () => {
  const paid = async (parties: string) => {
    const { id, reference, money } = await anchor.deposit()
    const file = camt053([{ amount: money, text: reference, name: 'NAMED' }])
    await anchor.read(
      'SEPA',
      `${id}.xml`,
      file.replace(/<RltdPties>.*<\/RltdPties>/, `<RltdPties>${parties}</RltdPties>`),
    )
    const [line] = (await anchor.get('/statement-lines?limit=1')).json()
    return [await anchor.state(id), line.party.name, line.reason]
  }

  it('the one on whose behalf was paid is a payer too, and alone is none', async () => {
    const asha = '<Dbtr><Pty><Nm>Asha Rao</Nm></Pty></Dbtr>'
    const forBoris = '<UltmtDbtr><Pty><Nm>Boris Badov</Nm></Pty></UltmtDbtr>'
    expect((await paid(asha))[0]).toBe('funded')
    expect(await paid(`${asha}${forBoris.replace('Boris Badov', 'ASHA RAO')}`)).toMatchObject([
      'funded',
      'Asha Rao / ASHA RAO',
      expect.anything(),
    ])
    expect(await paid(asha + forBoris)).toEqual(['awaiting_funds', 'Asha Rao / Boris Badov', OTHER])
    const forAsha = forBoris.replace('Boris Badov', 'Asha Rao')
    expect(await paid(forAsha)).toEqual(['awaiting_funds', null, UNREAD])
    expect((await paid(''))[2]).toBe(UNREAD)
  })
})

it.each([
  ['Rao & Sons', 'Rao & Sons', true],
  ['José Ortega y Gasset', 'JOSE ORTEGA Y GASSET', true],
  ['Asha Rao', 'Mr Asha Rao or Mrs Asha Rao', true],
  ['Asha Rao', 'ASHA RAO C/O BORIS BADOV', false],
])('for the customer “%s”, “%s” pays: %s', (customer, payer, expected) => {
  expect(isNamed(payer, [customer])).toBe(expected)
})
