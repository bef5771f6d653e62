import { describe, expect, test } from 'vitest'
import { tokenIn, tokenInPasted } from './invitation-token.ts'
import { strengthOf } from '@windlass/ui/password-strength.ts'

describe('the token of an invitation', () => {
  test('is found in the fragment before the query', () => {
    expect(tokenIn({ hash: '#token=abc', search: '?token=xyz' })).toEqual({ token: 'abc', inQuery: false })
    expect(tokenIn({ hash: '', search: '?token=xyz' })).toEqual({ token: 'xyz', inQuery: true })
    expect(tokenIn({ hash: '#token=', search: '' })).toBeUndefined()
  })

  test('is found in whatever was pasted', () => {
    expect(tokenInPasted(' http://localhost:4001/redeem#token=a-b_c ')).toBe('a-b_c')
    expect(tokenInPasted('https://console.example/redeem?token=a-b_c')).toBe('a-b_c')
    expect(tokenInPasted('a-b_c\n')).toBe('a-b_c')
  })
})

describe('the strength of a password', () => {
  test.each([
    ['short', 0],
    ['password1', 1],
    ['aaaaaaaaaaaa', 1],
    ['123456789012', 1],
    ['Harbour2026', 1],
    ['mzkqhvta', 2],
    ['tide and 4 barnacles', 4],
    ['correct horse battery staple', 4],
  ])('%s is %i', (password, strength) => {
    expect(strengthOf(password, ['mira@harbour.example', 'Harbour Payments Ltd'])).toBe(strength)
  })

  test('counts what a person sees as one character as one', () => {
    expect(strengthOf('🙂🙂🙂🙂')).toBe(0)
  })
})
