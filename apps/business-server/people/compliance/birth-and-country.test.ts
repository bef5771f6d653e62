import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { keepVerifiedName } from '../customers/verified-name.ts'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'
import { ofacXml } from '../../testing/sanctions-lists.ts'
import { loadList } from './lists.ts'
import { sealedFacts } from './screened-names.ts'
import { compareNames } from './compare-names.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

const waiting = async (): Promise<ScreeningHit[]> =>
  (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()

describe('birth and country', () => {
  it('of a customer and of an entry that differ are no hit where the names are alike, and one where they are the same', async () => {
    const people = [{ id: 1, name: 'Borodulin, Sergey Ivanovich' }]
    const bytes = Buffer.from(ofacXml(people))
    await loadList(
      bank.deps,
      { fileName: 'list.xml', bytes, smaller: false, by: 'operator:asha' },
      async () => undefined,
    )
    const hits = async (fields: Record<string, string>) => {
      const { id } = await ensureCustomer(bank.deps, generateKey().publicKey, null)
      await changeCustomer(bank.deps, id, { fields })
      await compareNames(bank.deps)
      return { id, count: (await waiting()).filter(({ subject }) => subject.id === id).length }
    }
    const alike = { first_name: 'Serguei', last_name: 'Borodouline' }
    const same = { first_name: 'Sergey Ivanovich', last_name: 'Borodulin' }
    expect((await hits(alike)).count).toBe(1)
    expect((await hits({ ...alike, birth_date: '1959-01-01' })).count).toBe(1)
    expect((await hits({ ...same, birth_date: '1990-01-01', address_country_code: 'DEU' })).count).toBe(1)
    const other = await hits({ ...alike, birth_date: '1990-01-01' })
    expect(other.count).toBe(0)

    await changeCustomer(bank.deps, other.id, { fields: { birth_date: '1956-01-01' } })
    await compareNames(bank.deps)
    const [found] = (await waiting()).filter(({ subject }) => subject.id === other.id)
    expect(found?.match).toMatchObject({ entryName: 'Sergey Ivanovich Borodulin' })
    // Who told another year afterwards is not free.
    await changeCustomer(bank.deps, other.id, { fields: { birth_date: '1990-01-01' } })
    await compareNames(bank.deps)
    expect((await waiting()).map(({ id }) => id)).toContain(found?.id)
  })

  it('that customers tell do not free who writes the name of a listed person in another spelling', async () => {
    const people = [
      { id: 1, name: 'Borodulin, Sergey Ivanovich' },
      { id: 2, name: 'Testov, Qadir' },
    ]
    const bytes = Buffer.from(ofacXml(people, { day: '11/21/2026' }))
    const file = { fileName: 'list.xml', bytes, smaller: false, by: 'operator:asha' }
    await loadList(bank.deps, file, async () => undefined)
    const { id } = await ensureCustomer(bank.deps, generateKey().publicKey, null)
    const fields = { birth_date: '1990-01-01', address_country_code: 'DEU' }
    await changeCustomer(bank.deps, id, { fields: { first_name: 'Kadir', last_name: 'Testov', ...fields } })
    await compareNames(bank.deps)
    const found = (await waiting()).filter(({ subject }) => subject.id === id)
    expect(found.map(({ match }) => match?.entryName)).toEqual(['Qadir Testov'])
  })

  it('that a customer tells do not free the name on their document', async () => {
    const person = 'Serguei Borodouline'
    const { id } = await ensureCustomer(bank.deps, generateKey().publicKey, null)
    await changeCustomer(bank.deps, id, {
      centralId: 'cus_born',
      fields: { first_name: 'Serguei', last_name: 'Borodouline', birth_date: '1990-01-01' },
    })
    const { database, sealer } = bank.deps
    await bank.rows(
      "insert into kyc_statuses (central_id, status, completed_at) values ('cus_born', 'ACCEPTED', now())",
    )
    await database.db.transaction().execute(tx => keepVerifiedName(tx, sealer, 'cus_born', person))
    await compareNames(bank.deps)
    const found = (await waiting()).filter(({ subject }) => subject.id === id)
    expect(found.map(({ match }) => match?.role)).toEqual(['verified'])
  })
})

it('birth and countries are encrypted, and again under a newer key', async () => {
  const kept = await bank.rows<{ facts: Buffer }>('select facts from screened_names where facts is not null')
  expect(kept.length).toBeGreaterThan(0)
  for (const { facts } of kept) expect(facts.toString('latin1')).not.toContain('born')
  await rotate(withNewerKey(bank.deps).rotating, sealedFacts)
  const versions = await bank.rows(
    'select distinct substring(facts for 1) as version from screened_names where facts is not null',
  )
  expect(versions).toEqual([{ version: Buffer.from([200]) }])
})
