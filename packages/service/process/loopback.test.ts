import { expect, it } from 'vitest'
import { loopbackAddresses } from './loopback.ts'

const machine = (...addresses: string[]) =>
  loopbackAddresses(() => ({ lo: addresses.map(address => ({ address })) as never }))

it('knows the loopback addresses of a machine with both protocols, and with one', () => {
  expect(machine('127.0.0.1', '::1')).toEqual(['127.0.0.1', '::1'])
  expect(machine('127.0.0.1')).toEqual(['127.0.0.1'])
  expect(machine('::1')).toEqual(['::1'])
  // Where nothing is known, what nearly every machine has.
  expect(machine()).toEqual(['127.0.0.1'])
})
