import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostOf } from './host.ts'
import { hasPrefix, plainPath } from './path.ts'

describe('the plain path', () => {
  it('has no dot segments, repeated slashes or encoding left', () => {
    expect(plainPath('/a//b/./c/../d?x=/../y')).toBe('/a/b/d')
    expect(plainPath('/..%2f%61dmin')).toBe('/admin')
    expect(plainPath('*')).toBeNull()
    expect(plainPath('http://x/y')).toBeNull()
    expect(plainPath('/%zz')).toBeNull()
  })

  it('of a plain path is itself, and always starts with one slash', () => {
    const segment = fc.constantFrom('a', '..', '.', '', '%2e%2e', '%2F', 'metrics', '\\')
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), segments => {
        const plain = plainPath(`/${segments.join('/')}`)
        expect(plain).toMatch(/^\/(?!\/)/)
        expect(plainPath(plain!)).toBe(plain)
        expect(plain!.split('/')).not.toContain('..')
      }),
    )
  })
})

it('a prefix is made of whole segments', () => {
  expect(hasPrefix('/kyc/start', '/kyc/')).toBe(true)
  expect(hasPrefix('/kyc', '/kyc/')).toBe(true)
  expect(hasPrefix('/kycx', '/kyc/')).toBe(false)
  expect(hasPrefix('/anything', '/')).toBe(true)
})

it('a Host header is read without port, case and final dot, and nothing else passes', () => {
  expect(hostOf('Acme.Anchors.Localhost.:8080')).toBe('acme.anchors.localhost')
  expect(hostOf('[::1]:80')).toBe('[::1]')
  for (const wrong of ['', 'a b', 'a/b', 'a@b', 'a:b', '-a', 'a,b', undefined])
    expect(hostOf(wrong)).toBeNull()
})
