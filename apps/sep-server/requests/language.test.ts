import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Keypair } from '@stellar/stellar-sdk/base'
import { startSepApp, type SepApp } from '../testing/sep-app.ts'
import { inLanguage } from './language.ts'

let app: SepApp
let token: string
beforeAll(async () => {
  app = await startSepApp({ readAccount: async () => null })
  const account = Keypair.random().publicKey()
  token = await app.deps.tokens.issue(
    { account, memo: null, clientDomain: null, homeDomain: 'x', tokenId: 'a' },
    new Date(),
  )
})
afterAll(() => app.close())

const ask = async (url: string) =>
  (await app.server.app.inject({ url, headers: { authorization: `Bearer ${token}` } })).json()

/** Each text for people in an answer. */
const textsIn = (value: unknown, name = ''): string[] => {
  if (typeof value === 'string')
    return ['description', 'message', 'how', 'error'].includes(name) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, key))
}

describe('lang', () => {
  it.each([
    '/sep6/info?',
    '/sep31/info?',
    '/sep6/deposit?asset_code=MUMBAI&amount=10',
    '/sep6/withdraw?asset_code=MUMBAI&amount=10&dest=a@ok',
  ])('gives each text of %s in Spanish, and in English where it is another or none', async url => {
    const english = textsIn(await ask(url))
    expect(english.length).toBeGreaterThan(0)
    expect(textsIn(await ask(`${url}&lang=en`))).toEqual(english)
    expect(textsIn(await ask(`${url}&lang=fr`))).toEqual(english)
    const spanish = textsIn(await ask(`${url}&lang=es-MX`))
    expect(spanish).toHaveLength(english.length)
    expect(spanish.filter((text, n) => text === english[n])).toEqual([])
  })

  it.each([
    ['/sep6/deposit?asset_code=BTC', 'el activo no se admite; debe ser MUMBAI'],
    ['/sep6/deposit?asset_code=MUMBAI&amount=10001', 'amount debe ser como máximo 10000'],
    ['/sep6/deposit?asset_code=MUMBAI&amount=0', 'amount debe ser mayor que cero'],
    ['/sep6/deposit?asset_code=MUMBAI&account=GABC', 'account debe ser una cuenta de Stellar (G… o M…)'],
    ['/sep24/transaction?id=x', 'No hay ninguna transacción con este id.'],
    ['/sep24/transaction?', 'se necesita id, stellar_transaction_id o external_transaction_id'],
  ])('gives the error of %s in Spanish', async (url, error) => {
    expect(await ask(`${url}&lang=es`)).toEqual({ error })
    expect((await ask(url)).error).not.toBe(error)
  })

  it('is that of the start for the transaction later, unless the reader names another', async () => {
    const { id } = await ask('/sep6/withdraw?asset_code=MUMBAI&amount=10&dest=a@ok&lang=es')
    await app.deps.database.pool.query(
      `update transactions set status = 'pending_customer_info_update', message = $2 where id = $1`,
      [id, 'Identify yourself by SEP-12 first.'],
    )
    const read = async (lang = '') => (await ask(`/sep6/transaction?id=${id}${lang}`)).transaction
    expect(await read()).toMatchObject({
      message: 'Identifíquese primero por SEP-12.',
      required_customer_info_message: 'Identifíquese primero por SEP-12.',
    })
    expect((await read('&lang=en')).message).toBe('Identify yourself by SEP-12 first.')
  })

  it('changes no word that is for programs, and no text that it does not know', () => {
    const answer = {
      id: 'message',
      status: 'error',
      fields: { message: { description: 'a field of theirs' } },
    }
    expect(inLanguage('es', answer)).toEqual(answer)
  })
})
