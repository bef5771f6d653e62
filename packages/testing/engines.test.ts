import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))

interface Entry {
  engines?: { node?: string }
}
const { packages } = read('package-lock.json') as { packages: Record<string, Entry> }
const { engines } = read('package.json') as { engines: { node: string } }

const partsOf = (version: string): number[] => [0, 1, 2].map(at => Number(version.split('.')[at] ?? 0))

/** Negative: `one` is older. */
const compare = (one: string, other: string): number => {
  const [mine, theirs] = [partsOf(one), partsOf(other)]
  return mine.map((part, at) => part - (theirs[at] ?? 0)).find(difference => difference !== 0) ?? 0
}

/** Whether a version is in a range of npm: comparators `>=`, `<`, `^`, a bare version, joined by `||`. */
function isIn(version: string, range: string): boolean {
  return range.split('||').some(part =>
    part
      .trim()
      .replaceAll(/([<>=^]) +/g, '$1')
      .split(/\s+/)
      .every(comparator => {
        const [, sign = '', wanted = '0'] = /^([<>=^~]*)v?([\d.]*)/.exec(comparator) ?? []
        const difference = compare(version, wanted)
        if (sign === '>=') return difference >= 0
        if (sign === '>') return difference > 0
        if (sign === '<') return difference < 0
        const isSameMajor = partsOf(version)[0] === partsOf(wanted)[0]
        return wanted === '' || (isSameMajor && difference >= 0)
      }),
  )
}

it('is installed without a warning on the oldest Node that package.json names', () => {
  const floor = engines.node.replace('>=', '')
  expect(packages['']?.engines).toEqual(engines)
  // A package of our own is linked, and npm asks it for nothing.
  const needed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'))
  expect(needed.length).toBeGreaterThan(500)
  const tooNew = needed
    .filter(([, entry]) => entry.engines?.node !== undefined && !isIn(floor, entry.engines.node))
    .map(([path, entry]) => `${path} ${entry.engines?.node}`)
  expect(tooNew).toEqual([])
  expect(isIn('20.20.0', '^22.12.0 || >=24.0.0')).toBe(false)
})
