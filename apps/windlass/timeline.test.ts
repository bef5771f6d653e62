import { expect, it } from 'vitest'
import { timelineOf } from './timeline.ts'

it('a start is shown as bars, with what it waited for', () => {
  const lines = timelineOf([
    { name: 'settings and ports', from: 0, to: 500 },
    { name: 'postgres', from: 500, to: 2_000, after: 'settings and ports' },
    { name: 'platform API', from: 2_000, to: 4_000, after: 'postgres' },
    { name: 'mail catcher', from: 500, to: 700, after: 'settings and ports' },
  ])
  expect(lines).toEqual([
    `  settings and ports   0.5 s  █████`,
    `  mail catcher         0.2 s       ██                                    after settings and ports`,
    `  postgres             1.5 s       ███████████████                       after settings and ports`,
    `  platform API         2.0 s                      ████████████████████   after postgres`,
    '  The longest way: settings and ports 0.5 s, postgres 1.5 s, platform API 2.0 s',
  ])
})
