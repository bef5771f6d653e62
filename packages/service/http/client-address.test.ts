import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientNetwork, sameSecret } from './client-address.ts'

describe('a client is counted', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['someone@acme.test', 'someone@acme.test'],
    ['unknown', 'unknown'],
  ])('%s as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })

  it('the same for every address of a network, however it is written', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (all, host) => {
          const write = (groups: number[]) => groups.map(n => n.toString(16)).join(':')
          const short = new URL(`http://[${write(all)}]`).hostname.slice(1, -1)
          const network = `${write(all.slice(0, 4))}::/64`
          for (const address of [write(all), short, write([...all.slice(0, 4), ...host])]) {
            if (!/^(0:){5}ffff:/.test(write(all))) expect(clientNetwork(address)).toBe(network)
          }
        },
      ),
    )
  })
})

it('secrets are the same only if they are, whatever their length', () => {
  expect(sameSecret('abc', 'abc')).toBe(true)
  for (const other of [undefined, '', 'ab', 'abd', 'abcd', 'äbc'])
    expect(sameSecret(other, 'abc')).toBe(false)
})
