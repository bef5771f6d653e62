import { expect, it } from 'vitest'
import { generateBoxKeys, isBoxKey, openBox, sealFor } from './sealed-box.ts'

it('a text is opened by the private key alone, and by nothing that was changed', () => {
  const [keys, others] = [generateBoxKeys(), generateBoxKeys()]
  const box = sealFor(keys.publicKey, 'v1:Grüße')
  expect(openBox(keys.privateKey, box)).toBe('v1:Grüße')
  expect(sealFor(keys.publicKey, 'v1:Grüße')).not.toBe(box)
  expect(() => openBox(others.privateKey, box)).toThrow()
  const [format = '', sender = '', body = ''] = box.split('.')
  const changed = `${body.slice(0, 5)}${body[5] === 'A' ? 'B' : 'A'}${body.slice(6)}`
  for (const wrong of [
    [format, sender, changed],
    [format, others.publicKey, body],
    ['windlass-box-9', sender, body],
    [sender, body],
  ])
    expect(() => openBox(keys.privateKey, wrong.join('.'))).toThrow()
  expect(() => openBox(keys.publicKey, box)).toThrow('no private key')
})

it('a public key is one of 32 bytes that gives a secret', () => {
  expect(isBoxKey(generateBoxKeys().publicKey)).toBe(true)
  for (const wrong of [
    '',
    'abc',
    `${generateBoxKeys().publicKey}A`,
    'A'.repeat(43),
    generateBoxKeys().privateKey,
  ])
    expect([wrong, isBoxKey(wrong)]).toEqual([wrong, false])
})
