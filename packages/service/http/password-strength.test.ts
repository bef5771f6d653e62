import { expect, it } from 'vitest'
import { requireUncommonPassword, weaknessOfAdministrator } from './password-strength.ts'

const known = ['founder@harbour.example', 'Harbour Payments Ltd', 'Mira Okafor', 'harbour']

it.each([
  'password',
  'Password',
  'password123',
  '12345678',
  'qwertyuiop',
  'aaaaaaaa',
  'admin123',
  'Mira Okafor',
  'miraokafor',
  'HarbourPaymentsLtd',
  'payments',
  'windlass',
  '🦀'.repeat(64),
  'P@ssw0rd',
  'p4$$w0rd',
  '5up3rm4n',
])('refuses %s and says what to do', password => {
  const errors = [{ path: 'password', message: expect.stringContaining('several unrelated words') }]
  expect(() => requireUncommonPassword(password, known)).toThrow(
    expect.objectContaining({ code: 'validation-failed', extra: { errors } }),
  )
})

it.each(['correct horse', 'tide and 4 barnacles', 'Sup3rSecret!', 'x7#Kq9!z', '正しい馬の電池'])(
  'accepts %s',
  password => expect(requireUncommonPassword(password, known)).toBeUndefined(),
)

it.each([
  ['x7#Kq9!z', 'at least 12 characters'],
  ['Password123456!', 'harder to guess'],
  ['founder@harbour.example', 'harder to guess'],
  ['windlasswindlass', 'harder to guess'],
])('refuses %s for an administrator: %s', (password, weakness) => {
  expect(weaknessOfAdministrator(password, known)).toContain(weakness)
})

it('accepts a long and uncommon password for an administrator', () => {
  expect(weaknessOfAdministrator('tide and 4 barnacles', known)).toBeNull()
})
