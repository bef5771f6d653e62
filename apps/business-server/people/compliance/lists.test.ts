import type { SanctionsList, Screening } from '@windlass/contracts/anchor/compliance.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { euXml, loadList, loadListAlone, ofacXml, unXml } from '../../testing/sanctions-lists.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'

const OPERATOR = 'operator:asha'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

describe('sanctions lists', () => {
  it('take the place of their authority’s one before, with hash and date; what is no newer list is refused', async () => {
    const people = Array.from({ length: 10 }, (_, id) => ({ id, name: `Person Number${id}` }))
    const first = ofacXml(people)
    expect((await loadList(bank, first)).json<SanctionsList>()).toMatchObject({
      ...{
        source: 'OFAC',
        format: 'ofac-xml',
        publishedOn: '2026-11-20',
        entries: 10,
        current: true,
        by: OPERATOR,
      },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await loadList(bank, first)).json()).toMatchObject({
      status: 409,
      code: 'sanctions-list-already-loaded',
    })
    const refusals = [
      [first.slice(0, 900), /not complete XML/],
      [ofacXml(people, { day: '11/19/2026' }), /2026-11-19/],
      [ofacXml(people.slice(0, 7), { day: '11/21/2026' }), /part of a file/],
      ['', /empty/],
    ] as const
    for (const [text, why] of refusals) {
      const problem = (await loadList(bank, text)).json<{ code: string; detail: string }>()
      expect(problem).toMatchObject({
        status: 422,
        code: 'sanctions-list-refused',
        detail: expect.stringMatching(why),
      })
    }
    const shorter = ofacXml(people.slice(0, 7), { day: '11/21/2026' })
    const versions = () => bank.rows('select version from sanctions_lists where replaced_at is null')
    const before = await versions()
    for (let again = 0; again < 2; again++)
      expect((await loadListAlone(bank, shorter, { smaller: 'true' })).json()).toMatchObject({
        code: 'second-person-needed',
      })
    expect(await versions()).toEqual(before)
    expect(
      (await evaluateConditions(bank.deps, { conditions: [], differences: new Map() })).conditions,
    ).toContainEqual({
      ...{ kind: 'compliance-waiting', subject: 'smaller-list-ofac-sdn' },
      detail: expect.stringMatching(/has 7 entries and lacks/),
      spanish: expect.stringMatching(/tiene 7 entradas y le falta/),
    })
    // One that lacks one name, or has another in its place, is as much.
    for (const changed of [
      people.slice(1),
      people.map(each => (each.id === 0 ? { id: 0, name: 'No Body' } : each)),
    ])
      expect((await loadListAlone(bank, ofacXml(changed, { day: '11/22/2026' }))).json()).toMatchObject({
        code: 'second-person-needed',
      })
    expect(await versions()).toEqual(before)
    // Another file is another question.
    const other = ofacXml(people.slice(0, 6), { day: '11/21/2026' })
    expect((await loadListAlone(bank, other, { smaller: 'true', by: 'operator:ben' })).statusCode).toBe(409)
    expect((await loadListAlone(bank, shorter, { smaller: 'true', by: 'operator:ben' })).statusCode).toBe(201)
    await loadList(bank, unXml([{ id: 1, name: 'Un Body' }]))
    const { lists, threshold } = (await bank.get('/screening')).json<Screening>()
    expect(lists.map(({ source, entries, current }) => [source, entries, current])).toEqual([
      ['UN', 1, true],
      ['OFAC', 7, true],
      ['OFAC', 10, false],
    ])
    expect(threshold).toBe(0.85)
  })

  it('of one authority stand side by side, and what is in the future is refused', async () => {
    const people = Array.from({ length: 10 }, (_, id) => ({ id, name: `Person Number${id}` }))
    const current = async () => {
      const { lists } = (await bank.get('/screening')).json<Screening>()
      return lists.filter(each => each.current).map(({ list, entries }) => [list, entries])
    }
    await loadList(bank, ofacXml(people, { day: '11/22/2026' }), { smaller: 'true' })
    const consolidated = ofacXml(people.slice(0, 2), { day: '11/22/2026' }).replaceAll('SDGT', 'NS-PLC')
    expect((await loadList(bank, consolidated)).json<SanctionsList>()).toMatchObject({
      list: 'ofac-consolidated',
    })
    expect(await current()).toEqual(
      expect.arrayContaining([
        ['ofac-sdn', 10],
        ['ofac-consolidated', 2],
      ]),
    )
    const problem = (await loadList(bank, ofacXml(people, { day: '01/01/2130' }))).json<{ detail: string }>()
    expect(problem).toMatchObject({
      code: 'sanctions-list-refused',
      detail: expect.stringContaining('future'),
    })
  })

  it('keep the names of earlier versions, each with the versions that had it', async () => {
    const versions = async (name: string) =>
      bank.rows(
        `select list_id, (select published_on from sanctions_lists where version = list) as came,
          (select published_on from sanctions_lists where version = gone_with) as went
          from sanctions_names where name = $1`,
        [name],
      )
    const [stays, goes, comes] = ['Stays Here', 'Goes Away', 'Comes Later'].map((name, id) => ({
      id: 500 + id,
      name,
    }))
    if (!stays || !goes || !comes) throw new Error('there are three')
    await loadList(bank, ofacXml([stays, goes], { day: '11/23/2026' }), { smaller: 'true' })
    await loadList(bank, ofacXml([stays, comes], { day: '11/24/2026' }))
    const list_id = 'ofac-sdn'
    expect(await versions('Stays Here')).toEqual([{ list_id, came: '2026-11-23', went: null }])
    expect(await versions('Goes Away')).toEqual([{ list_id, came: '2026-11-23', went: '2026-11-24' }])
    expect(await versions('Comes Later')).toEqual([{ list_id, came: '2026-11-24', went: null }])
  })

  it('that nobody looked at for a week wait for review, until the same file shows that there is no newer one', async () => {
    const text = unXml([{ id: 1, name: 'Un Body' }]) + '<!-- checked -->'
    await loadList(bank, text, { smaller: 'true' })
    const stale = async () => {
      const { conditions } = await evaluateConditions(bank.deps, { conditions: [], differences: new Map() })
      return conditions.filter(({ subject }) => subject.startsWith('sanctions-list-'))
    }
    expect(await stale()).toEqual([])
    await bank.rows(
      "update sanctions_lists set checked_at = now() - interval '8 days' where list_id = 'un-consolidated'",
    )
    expect(await stale()).toEqual([
      expect.objectContaining({ kind: 'compliance-waiting', subject: 'sanctions-list-un-consolidated' }),
    ])
    expect((await loadList(bank, text)).json()).toMatchObject({ code: 'sanctions-list-already-loaded' })
    expect(await stale()).toEqual([])
  })

  it('are read while the server answers', async () => {
    const people = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `Long, Person ${id}` }))
    let loaded = false
    const loading = loadList(bank, unXml(people), { smaller: 'true' }).then(answer => {
      loaded = true
      return answer
    })
    let answers = 0
    while (!loaded) {
      await bank.get('/screening')
      answers += 1
    }
    expect((await loading).statusCode).toBe(201)
    expect(answers).toBeGreaterThan(10)
    await loadList(bank, unXml([{ id: 1, name: 'Un Body' }]), { smaller: 'true' })
  })

  it('are loaded whole or not at all', async () => {
    const before = (await bank.get('/screening')).json<Screening>().lists
    const { faults } = bank.deps
    bank.deps.faults = {
      at: point => {
        if (point === 'list:loaded') throw new Error('killed')
      },
    }
    expect((await loadList(bank, euXml([{ id: 1, name: 'Eu Body' }]))).statusCode).toBe(500)
    bank.deps.faults = faults
    expect((await bank.get('/screening')).json<Screening>().lists).toEqual(before)
    expect(await bank.rows("select from sanctions_names where name = 'Eu Body'")).toEqual([])
  })
})

it('every version of the lists is listed by pages, newest first', async () => {
  const versions: number[] = []
  let path: string | undefined = '/sanctions-lists?limit=2'
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof bank.get>> = await bank.get(path)
    versions.push(...page.json<SanctionsList[]>().map(({ version }) => version))
    path = /<\/api\/v1([^>]*)>/.exec(String(page.headers.link ?? ''))?.[1]
  }
  const all = await bank.rows<{ version: string }>(
    'select version from sanctions_lists order by version desc',
  )
  expect(versions).toEqual(all.map(({ version }) => Number(version)))
  expect(versions.length).toBeGreaterThan(4)
})
