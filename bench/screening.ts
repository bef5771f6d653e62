import { readList } from '@windlass/business-server/people/compliance/read-list.ts'
import { createMatcher } from '@windlass/business-server/people/compliance/names/matcher.ts'
import type { Facts } from '@windlass/business-server/people/compliance/names/facts.ts'
import {
  inventedNames,
  ordinaryNames,
  readQuestions,
} from '@windlass/business-server/testing/screening/names.ts'
import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { report } from './stand/report.ts'
import { size } from './stand/run.ts'

/*
 * How many names of a list are found in other spellings, how many ordinary names are taken for them, and how long a name
 * takes with a list of 20,000 entries. `npm run bench -- screening --list SDN.XML` also asks for each alias of a list's
 * entries that is a spelling of their first name, with the first names alone loaded.
 */
const THRESHOLD = 0.85
const ENTRIES = size(20_000, 200)
const TIMED = size(200, 10)

const nothing = { detail: '', born: [], countries: [] }
const listed = (names: readonly string[]) =>
  names.map((name, at) => ({ source: 'list', list: '1', entryId: String(at), name, ...nothing }))
const share = (found: number, of: number): string =>
  `${found} of ${of}, ${((100 * found) / Math.max(1, of)).toFixed(1)} %`

/** Names of other people in the list that hits name too are no mistakes of a question about one of them. */
for (const file of ['questions.csv', 'held-out.csv'] as const) {
  const questions = readQuestions(file)
  const names = [...new Set(questions.map(question => question.listed))]
  const matcher = await createMatcher(listed(names), turn)
  const isHit = ({ listed: name, asked }: (typeof questions)[number]) =>
    matcher.find(asked, THRESHOLD).some(match => match.name === name)
  const hits = questions.filter(({ right }) => right === 'hit')
  const found = hits.filter(isHit)
  const none = [
    ...questions.filter(({ right }) => right === 'none').map(({ asked }) => asked),
    ...ordinaryNames(),
  ]
  const wrong = none.filter(asked => matcher.find(asked, THRESHOLD).length > 0)
  report(`screening: ${file}, right hits (${share(found.length, hits.length)})`, found.length / hits.length, {
    atLeast: 0.95,
  })
  report(`screening: ${file}, false hits (${share(wrong.length, none.length)})`, wrong.length / none.length, {
    atMost: 0.02,
  })
}

/* People with ordinary names of whom the list has another one with such a name, born elsewhere in another year. */
const ordinary = ordinaryNames()
const namesakes = await createMatcher(
  listed(ordinary).map(each => ({ ...each, born: [1950], countries: ['SY'] })),
  turn,
)
const others = (facts: Facts | null): number =>
  ordinary.filter(name => namesakes.find(name, THRESHOLD, facts).some(match => match.name !== name)).length
const [alone, told] = [others(null), others({ born: [1990], countries: ['DE'] })]
report(`screening: people of another year and country (${told} of ${alone} hits are left)`, told / alone, {
  atMost: 0.25,
})
const fitting = others({ born: [1952], countries: ['DE', 'SY'] })
report(`screening: people of a year and country that fit (${fitting} of ${alone} hits)`, fitting / alone, {
  atLeast: 1,
})

const names = inventedNames(ENTRIES)
const long = await createMatcher(listed(names), turn)
const asked = [...inventedNames(ENTRIES + TIMED).slice(ENTRIES), ...ordinaryNames()].slice(0, 2 * TIMED)
const before = process.cpuUsage().user
for (const name of asked) long.find(name, THRESHOLD)
const each = (process.cpuUsage().user - before) / 1000 / asked.length
console.log(`  one name with ${ENTRIES} entries: ${each.toFixed(2)} ms of the processor, each word new`)

const given = process.argv.slice(2).filter((_, at, all) => all[at - 1] === '--list')
for (const file of given) {
  const { entries } = await readList(readFileSync(file))
  const matcher = await createMatcher(listed(entries.map(entry => entry.names[0] ?? '')), turn)
  const cases = entries.flatMap(({ names: [first = '', ...aliases] }, at) =>
    aliases.filter(alias => isSpelling(alias, first)).map(alias => ({ alias, at: String(at) })),
  )
  const right = cases.filter(({ alias, at }) =>
    matcher.find(alias, THRESHOLD).some(({ entryId }) => entryId === at),
  )
  report(`screening: ${file}, aliases (${share(right.length, cases.length)})`, right.length / cases.length, {
    atLeast: 0.95,
  })
  const wrong = ordinaryNames().filter(name => matcher.find(name, THRESHOLD).length > 0)
  const of = ordinaryNames().length
  report(`screening: ${file}, ordinary names (${share(wrong.length, of)})`, wrong.length / of, {
    atMost: 0.02,
  })
}

const LEAST_SAME = 0.6

/** Whether an alias has the words of a name, each with at least six tenths of its letters: no other name. */
function isSpelling(alias: string, name: string): boolean {
  const [ones, others] = [alias, name].map(each => each.toLowerCase().match(/\p{L}{2,}/gu) ?? [])
  if (!ones || !others || ones.length !== others.length || ones.length < 2) return false
  return ones.every(one => {
    const at = others.findIndex(other => sameLetters(one, other) >= LEAST_SAME)
    if (at >= 0) others.splice(at, 1)
    return at >= 0
  })
}

/** The letters that two words have in one order, as a part of the longer word. */
function sameLetters(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, () => 0)
  for (const letter of one) {
    const next = [0]
    for (let at = 0; at < other.length; at++)
      next.push(other[at] === letter ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0))
    row = next
  }
  return (row.at(-1) ?? 0) / Math.max(one.length, other.length)
}
