import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { TooManyWaiting } from '../postgres/turns.ts'
import { createOutage, failedForNow, isDatabaseAway } from './outage.ts'

it('an outage is logged when it begins and when it is over, however often it is met', () => {
  const lines: { msg: string; times?: number }[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const outage = createOutage(logger, 'the database does not answer')
  outage.over()
  for (let count = 0; count < 50; count++) outage.met(new Error('away'))
  outage.over()
  outage.over()
  outage.met(new Error('away again'))
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the database does not answer',
    'over: the database does not answer',
    'the database does not answer',
  ])
  expect(lines[1]).toMatchObject({ times: 50 })
})

describe('a failed query', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    [Object.assign(new Error('x'), { code: '57P01' }), true],
    [Object.assign(new Error('x'), { code: '53300' }), true],
    [Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' }), true],
    [Object.assign(new Error('x'), { code: 'ENETUNREACH' }), true],
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('timeout exceeded when trying to connect'), true],
    [Object.assign(new Error('x'), { code: '23505' }), false],
    [new Error('no such thing'), false],
    ['Connection terminated', false],
  ])('%o says whether the database is away: %s', (error, away) => {
    expect(isDatabaseAway(error)).toBe(away)
    expect(failedForNow(error)).toBe(away)
  })

  it('that found a full queue failed for now, and the database is not away', () => {
    const error = new TooManyWaiting()
    expect([isDatabaseAway(error), failedForNow(error)]).toEqual([false, true])
  })
})
