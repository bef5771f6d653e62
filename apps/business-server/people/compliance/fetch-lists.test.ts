import { createOutbound, OutboundError } from '@windlass/service/outbound/outbound.ts'
import { readListSettings } from '@windlass/service/process/list-settings.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { euXml, unXml } from '../../testing/sanctions-lists.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'
import { fetchLists } from './fetch-lists.ts'
import { loadList } from './lists.ts'

let bank: BankAnchor
beforeAll(async () => {
  bank = await BankAnchor.start()
})
afterAll(() => bank.close())

const URL_OF_UN = 'https://lists.example/consolidated.xml'
const people = Array.from({ length: 10 }, (_, id) => ({ id, name: `Person Number${id}` }))
const whole = unXml(people)

let answers: Record<string, { status: number; text?: string; location?: string } | Error> = {}
let asked: string[] = []
beforeEach(async () => {
  asked = []
  await bank.rows('delete from list_fetches')
  bank.deps.config.lists = { urls: new Map([['un-consolidated', URL_OF_UN]]), maxAgeDays: 7, without: 'wait' }
  const guarded = createOutbound({ allowPrivate: false })
  bank.deps.outbound = {
    request: async (url, init) => {
      asked.push(url)
      const answer = answers[url]
      if (answer instanceof Error) throw answer
      // What the test does not answer is asked for as in production.
      if (!answer) return guarded.request(url, init)
      return { status: answer.status, headers: { location: answer.location }, text: answer.text ?? '' }
    },
    close: () => guarded.close(),
  }
})

const fetchNow = () => fetchLists(bank.deps, async () => undefined)
const current = () =>
  bank.rows<{ list_id: string; by: string; entries: number }>(
    'select list_id, by, entries from sanctions_lists where replaced_at is null',
  )
const failures = () => bank.rows('select list_id, failure from list_fetches where failure is not null')
const conditions = async () =>
  (await evaluateConditions(bank.deps, { conditions: [], differences: new Map() })).conditions.map(
    ({ subject }) => subject,
  )

describe('a list at its publisher’s address', () => {
  it('is loaded once, behind the publisher’s redirect, and asked for again twelve hours later', async () => {
    answers = {
      [URL_OF_UN]: { status: 302, location: 'https://store.example/a.xml?signed=1' },
      'https://store.example/a.xml?signed=1': { status: 200, text: whole },
    }
    await fetchNow()
    expect(await current()).toEqual([{ list_id: 'un-consolidated', by: 'schedule', entries: 10 }])
    await fetchNow()
    expect(asked).toHaveLength(2)
    await bank.rows("update list_fetches set tried_at = tried_at - interval '13 hours'")
    await bank.rows("update sanctions_lists set checked_at = now() - interval '8 days'")
    expect(await conditions()).toContain('sanctions-list-un-consolidated')
    await fetchNow()
    expect(asked).toHaveLength(4)
    expect(await current()).toHaveLength(1)
    expect(await failures()).toEqual([])
    expect(await conditions()).not.toContain('sanctions-list-un-consolidated')
  })

  test.each([
    ['that is another list', { status: 200, text: euXml(people) }, 'refused'],
    ['that has far fewer entries', { status: 200, text: unXml(people.slice(0, 2)) }, 'refused'],
    ['that is cut off', { status: 200, text: whole.slice(0, 400) }, 'refused'],
    ['that is not UTF-8', { status: 200, text: `${whole}\uFFFD` }, 'refused'],
    ['that the publisher does not have', { status: 404 }, 'unreachable'],
    ['that is too long', new OutboundError('too long', { failure: 'too-long' }), 'unreachable'],
    ['that leads to this machine', { status: 302, location: 'https://127.0.0.1/list.xml' }, 'unreachable'],
    [
      'that leads to a metadata service',
      { status: 302, location: 'https://169.254.169.254/' },
      'unreachable',
    ],
    ['that leads around in a circle', { status: 302, location: URL_OF_UN }, 'unreachable'],
  ])('%s changes nothing, and the team is notified', async (_, answer, failure) => {
    const before = await current()
    answers = { [URL_OF_UN]: answer }
    await fetchNow()
    expect(await failures()).toEqual([{ list_id: 'un-consolidated', failure }])
    expect(await current()).toEqual(before)
    expect(await conditions()).toContain('fetched-list-un-consolidated')
  })

  it('takes the place of one that a person loaded with a later day', async () => {
    answers = { [URL_OF_UN]: { status: 200, text: whole } }
    const later = unXml([...people, { id: 99, name: 'Added Later' }]).replace('2026-11-20', '2026-11-28')
    const file = { fileName: 'un.xml', bytes: Buffer.from(later), smaller: false, by: 'operator:asha' }
    await loadList(bank.deps, file, async () => undefined)
    expect(await current()).toMatchObject([{ by: 'operator:asha', entries: 11 }])
    await fetchNow()
    expect(await failures()).toEqual([])
    expect(await current()).toMatchObject([{ by: 'schedule', entries: 10 }])
  })

  it('that truly lost most of its entries is fetched again once two people loaded it', async () => {
    const onDay = (text: string, day: string) => text.replace('2026-11-20', day)
    const short = onDay(unXml(people.slice(0, 2)), '2026-11-21')
    answers = { [URL_OF_UN]: { status: 200, text: short } }
    await fetchNow()
    expect(await failures()).toEqual([{ list_id: 'un-consolidated', failure: 'refused' }])
    const load = (by: string) =>
      loadList(
        bank.deps,
        { fileName: 'un.xml', bytes: Buffer.from(short), smaller: true, by },
        async () => undefined,
      )
    await expect(load('operator:asha')).rejects.toMatchObject({ code: 'second-person-needed' })
    await load('operator:ben')
    const fetchLater = async (count: number, day: string) => {
      await bank.rows("update list_fetches set tried_at = tried_at - interval '13 hours'")
      answers = { [URL_OF_UN]: { status: 200, text: onDay(unXml(people.slice(0, count)), day) } }
      await fetchNow()
    }
    await fetchLater(1, '2026-11-22')
    expect(await failures()).toEqual([{ list_id: 'un-consolidated', failure: 'refused' }])
    expect(await current()).toMatchObject([{ by: 'operator:ben', entries: 2 }])
    await fetchLater(3, '2026-11-22')
    expect(await failures()).toEqual([])
    expect(await current()).toMatchObject([{ by: 'schedule', entries: 3 }])
  })

  it('whose address is removed notifies the team no more', async () => {
    answers = { [URL_OF_UN]: { status: 404 } }
    await fetchNow()
    expect(await conditions()).toContain('fetched-list-un-consolidated')
    bank.deps.config.lists.urls = new Map()
    expect(await conditions()).not.toContain('fetched-list-un-consolidated')
  })

  it('that leads to plain http is not asked for where money is real', async () => {
    bank.deps.config.local = false
    answers = { [URL_OF_UN]: { status: 302, location: 'http://store.example/a.xml' } }
    await fetchNow()
    bank.deps.config.local = true
    expect(asked).toEqual([URL_OF_UN])
    expect(await failures()).toEqual([{ list_id: 'un-consolidated', failure: 'unreachable' }])
  })
})

test.each([
  ['no list', 'https://lists.example/a.xml'],
  ['another list', 'uk-consolidated=https://lists.example/a.xml'],
  ['no https', 'un-consolidated=http://lists.example/a.xml'],
  ['no address', 'un-consolidated=lists'],
  ['a list twice', 'un-consolidated=https://a.example/,un-consolidated=https://b.example/'],
])('settings with %s are refused', (_, SANCTIONS_LIST_URLS) => {
  expect(() => readListSettings({ SANCTIONS_LIST_URLS }, { local: false })).toThrow(/SANCTIONS_LIST_URLS/)
})

it('settings name no address, seven days and waiting by default', () => {
  expect(readListSettings({}, { local: false })).toEqual({ urls: new Map(), maxAgeDays: 7, without: 'wait' })
  expect(() => readListSettings({ SCREENING_WITHOUT_LIST: 'yes' }, { local: false })).toThrow(/wait or pass/)
})
