import { hostSecret } from '@windlass/service/http/client-address.ts'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { strangerOf, WakesOfClients } from './wake-limits.ts'

const HOUR_MS = 3_600_000

describe('a client network', () => {
  it('wakes so many different anchors in an hour, each as often as it likes', () => {
    const wakes = new WakesOfClients(2)
    expect(['a', 'b', 'a', 'b'].map((id, at) => wakes.take('10.0.0.1', id, at * 1_000))).toEqual([
      null,
      null,
      null,
      null,
    ])
    // The wake of `a` at 2 s is the oldest one by now.
    expect(wakes.take('10.0.0.1', 'c', 4_000)).toBe(3_598)
    expect(wakes.take('10.0.0.2', 'c', 4_000)).toBeNull()
    expect(wakes.take('10.0.0.1', 'c', HOUR_MS + 2_000)).toBeNull()
  })
})

describe('who asks', () => {
  const proxy = { proxySecret: 'p'.repeat(40), host: 'mumbai.anchors.example' }
  const request = (headers: Record<string, string>) =>
    strangerOf({ headers, socket: { remoteAddress: '10.9.9.9' } } as unknown as IncomingMessage, proxy)
  const proof = { 'x-windlass-proxy': hostSecret(proxy.proxySecret, proxy.host) }

  it.each([
    ['a service of the platform', {}, null],
    ['a client behind the proxy', { ...proof, 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    [
      'a client of an IPv6 network',
      { ...proof, 'x-forwarded-for': '2001:db8:1:2:3::4' },
      '2001:db8:1:2::/64',
    ],
    [
      'someone with the proof of another host',
      {
        'x-windlass-proxy': hostSecret(proxy.proxySecret, 'other.example'),
        'x-forwarded-for': '203.0.113.7',
      },
      '10.9.9.9',
    ],
  ])('is %s', (_who, headers, client) => expect(request(headers)).toBe(client))
})
