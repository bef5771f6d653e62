import { expect, it } from 'vitest'
import { requireUncommonPassword } from './password-strength.ts'

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
  '🦀'.repeat(64),
  'P@ssw0rd',
])('refuses %s and says what to do', async password => {
  await expect(requireUncommonPassword(password, known)).rejects.toMatchObject({
    code: 'validation-failed',
    extra: { errors: [{ path: 'password', message: expect.stringContaining('several unrelated words') }] },
  })
})

it.each(['correct horse', 'tide and 4 barnacles', 'Sup3rSecret!', 'x7#Kq9!z', '正しい馬の電池'])(
  'accepts %s',
  async password => {
    await expect(requireUncommonPassword(password, known)).resolves.toBeUndefined()
  },
)
