import { Account, Keypair, MuxedAccount } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { MAILED_CODE } from '../fake-platform.ts'
import { fundedWallet, logIn, registerWallet, until } from '../wallet.ts'
import { ask, key, running } from './anchor-under-test.ts'

/** Bytes that begin like a PNG. */
const picture = (bytes = 1000) => {
  const content = new Uint8Array(bytes)
  content.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return content
}

describe('SEP-12', () => {
  it('keeps customers of one account apart by memo, and needs an id for nobody', async () => {
    const wallet = await fundedWallet(running)
    const one = await logIn(running, wallet, { memo: '1' })
    const two = await logIn(running, wallet, { memo: '2' })
    const unknown = await ask('/sep12/customer', { token: one })
    expect(unknown.body).toMatchObject({ status: 'NEEDS_INFO', fields: { first_name: { type: 'string' } } })
    expect(unknown.body.id).toBeUndefined()
    const put = await ask('/sep12/customer', { method: 'PUT', token: one, json: { first_name: 'A' } })
    expect(put.status).toBe(202)
    expect((await ask('/sep12/customer', { token: one })).body).toMatchObject({
      id: put.body.id,
      provided_fields: { first_name: { type: 'string' } },
    })
    expect((await ask(`/sep12/customer?id=${put.body.id}`, { token: two })).status).toBe(404)
    expect((await ask('/sep12/customer?memo=2', { token: one })).status).toBe(400)
    expect(
      (await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: two })).status,
    ).toBe(404)
    expect(
      (await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: one })).status,
    ).toBe(200)
    expect((await ask('/sep12/customer', { token: one })).body.id).toBeUndefined()
  })

  it('emails a code to a wallet the platform does not know, and takes it back', async () => {
    const wallet = await fundedWallet(running)
    const mine = await logIn(running, wallet)
    const details = new FormData()
    for (const [name, value] of Object.entries({
      first_name: 'A',
      last_name: 'B',
      email_address: 'a@b.example',
    })) {
      details.set(name, value)
    }
    details.set('photo_id_front', new Blob([picture()], { type: 'image/png' }), 'id.png')
    const put = await ask('/sep12/customer', { method: 'PUT', token: mine, body: details })
    expect(put.status).toBe(202)
    expect((await ask('/sep12/customer', { token: mine })).body).toMatchObject({
      status: 'NEEDS_INFO',
      fields: { email_address: { type: 'string' } },
      provided_fields: { email_address: { status: 'VERIFICATION_REQUIRED' } },
    })
    const code = (email_address_verification: string) =>
      ask('/sep12/customer', {
        method: 'PUT',
        token: mine,
        json: { id: put.body.id, email_address_verification },
      })
    expect((await code('000000')).status).toBe(400)
    expect((await code(MAILED_CODE)).status).toBe(202)
    expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('PROCESSING')
    expect(running.platform.customers.get('cus_a@b.example')?.wallets).toEqual(new Set([wallet.publicKey()]))
  })

  it('treats a muxed account as a customer of its own: what its owner has proven does not count', async () => {
    const muxed = new MuxedAccount(new Account(key.publicKey(), '0'), '9').accountId()
    const mine = await logIn(running, key, { account: muxed })
    const put = await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
    expect((await ask('/sep12/customer')).body.status).toBe('ACCEPTED')
    expect((await ask(`/sep12/customer?id=${put.body.id}`, { token: mine })).body.status).toBe('NEEDS_INFO')
    // The memo of a request must be the number in the muxed account.
    expect((await ask('/sep12/customer?memo=9', { token: mine })).body.id).toBe(put.body.id)
    expect((await ask('/sep12/customer?memo=8', { token: mine })).status).toBe(400)
    const gone = await ask(`/sep12/customer/${key.publicKey()}`, { method: 'DELETE', token: mine })
    expect(gone.status).toBe(200)
  })

  it.each([
    ['an id memo with letters', { memo: 'x' }],
    ['an id beyond 64 bits', { memo: '18446744073709551616' }],
    ['a hash memo that is short', { memo: 'YQ==', memo_type: 'hash' }],
    ['a memo type that is none', { memo: '1', memo_type: 'return' }],
    ['a type that is none', { type: 'hotel-guest' }],
    ['the account of someone else', { account: Keypair.random().publicKey() }],
    ['a file that is a text', { photo_id_front: 'data:image/png;base64,iVBORw0KGgo=' }],
    ['the id of a file that nobody uploaded', { photo_id_front_file_id: `file_${randomUUID()}` }],
  ])('refuses %s with 400 and {error}, and keeps nothing', async (_what, json) => {
    const wallet = Keypair.random()
    const mine = await logIn(running, wallet)
    const sent = { first_name: 'A', ...json }
    const answer = await ask('/sep12/customer', { method: 'PUT', token: mine, json: sent })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.any(String) })
    const accounts = [wallet.publicKey(), ...('account' in json ? [json.account] : [])]
    const kept = await running.query('select 1 from business.customers where account = any($1)', [accounts])
    expect(kept).toEqual([])
  })

  it('answers an id that is not there, or another account’s, with 404', async () => {
    const stranger = await logIn(running, Keypair.random())
    const { id } = (await ask('/sep12/customer', { method: 'PUT', json: { first_name: 'A' } })).body
    for (const [given, of] of [
      [randomUUID(), undefined],
      [id, stranger],
    ]) {
      const asked = await ask(`/sep12/customer?id=${given}`, { token: of })
      expect(asked.status).toBe(404)
      const put = await ask('/sep12/customer', {
        method: 'PUT',
        json: { id: given, first_name: 'B' },
        token: of,
      })
      expect(put.status).toBe(404)
      expect(put.body).toEqual({ error: expect.any(String) })
    }
  })

  it('lets the owner of a shared account name one of its customers by id alone', async () => {
    const wallet = await fundedWallet(running)
    const owner = await logIn(running, wallet)
    const put = (json: object) => ask('/sep12/customer', { method: 'PUT', token: owner, json })
    const { id } = (await put({ memo: '5', first_name: 'A' })).body
    expect((await put({ id, last_name: 'B' })).body.id).toBe(id)
    const reported = await ask('/sep12/customer?memo=5', { token: owner })
    expect(reported.body).toMatchObject({ id, provided_fields: { first_name: {}, last_name: {} } })
    expect((await ask('/sep12/customer', { token: owner })).body.id).toBeUndefined()
  })

  it('takes a code at PUT /customer/verification too, and answers with the customer', async () => {
    const wallet = await fundedWallet(running)
    const mine = await logIn(running, wallet)
    const details = { first_name: 'A', last_name: 'B', email_address: `v${randomUUID()}@b.example` }
    const { id } = (await ask('/sep12/customer', { method: 'PUT', token: mine, json: details })).body
    const verify = (json: object) => ask('/sep12/customer/verification', { method: 'PUT', token: mine, json })
    const bad = [{}, { id }, { id, first_name: 'C' }, { id, email_address_verification: '000000' }]
    expect((await Promise.all(bad.map(verify))).map(({ status }) => status)).toEqual([400, 200, 400, 400])
    expect((await verify({ id: randomUUID(), email_address_verification: MAILED_CODE })).status).toBe(404)
    const done = await verify({ id, email_address_verification: MAILED_CODE })
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({ id, status: 'PROCESSING' })
  })

  it('keeps files that are uploaded apart, sealed, until they are named, for their wallet alone', async () => {
    const wallet = await fundedWallet(running)
    const mine = await logIn(running, wallet)
    const stranger = await logIn(running, Keypair.random())
    const upload = (content: Uint8Array<ArrayBuffer>, token = mine) => {
      const form = new FormData()
      form.set('file', new Blob([content]), 'passport.png')
      return ask('/sep12/customer/files', { method: 'POST', token, body: form })
    }
    const made = await upload(picture(50_000))
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      file_id: expect.stringMatching(/^file_/),
      content_type: 'image/png',
      size: 50_000,
      expires_at: expect.any(String),
    })
    const { file_id } = made.body
    const list = (query: string, token = mine) => ask(`/sep12/customer/files?${query}`, { token })
    expect((await list(`file_id=${file_id}`)).body).toEqual({ files: [made.body] })
    expect((await list(`file_id=${file_id}`, stranger)).body).toEqual({ files: [] })
    expect((await list('')).status).toBe(400)
    const [kept] = await running.query<{ sealed: null; pieces: Buffer[] }>(
      `select f.sealed, (select array_agg(p.sealed) from business.customer_file_pieces p) as pieces
       from sep.customer_files f where f.id = $1`,
      [file_id],
    )
    expect(kept?.sealed).toBeNull()
    expect(Buffer.concat(kept?.pieces ?? []).length).toBeGreaterThan(50_000)
    expect(kept?.pieces.some(piece => piece.includes('PNG'))).toBe(false)

    const name = (token: string) =>
      ask('/sep12/customer', {
        method: 'PUT',
        token,
        json: { first_name: 'A', photo_id_front_file_id: file_id },
      })
    expect((await name(stranger)).status).toBe(400)
    const named = await name(mine)
    expect(named.status).toBe(202)
    const { files } = (await list(`customer_id=${named.body.id}`)).body
    expect(files).toEqual([{ file_id, content_type: 'image/png', size: 50_000, customer_id: named.body.id }])
    // More than one request between the servers may hold.
    const large = await Promise.all([upload(picture(3_900_000)), upload(picture(3_900_000))])
    const [front, back] = large.map(({ body }) => body.file_id)
    const json = { id: named.body.id, photo_id_front_file_id: front, photo_id_back_file_id: back }
    expect((await ask('/sep12/customer', { method: 'PUT', token: mine, json })).status).toBe(202)
    const { provided_fields } = (await ask('/sep12/customer', { token: mine })).body
    expect(provided_fields).toMatchObject({
      photo_id_front: { type: 'binary' },
      photo_id_back: { type: 'binary' },
    })
    // The business server has it now: a second request has no file to send.
    expect(await running.query('select sealed from sep.customer_files where id = $1', [file_id])).toEqual([
      { sealed: null },
    ])
    expect((await name(mine)).status).toBe(400)
    await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: mine })
    expect((await list(`file_id=${file_id}`)).body).toEqual({ files: [] })
  })

  it('refuses files that are none, too large or too many, with {error}, and keeps none of them', async () => {
    const mine = await logIn(running, Keypair.random())
    const count = () => running.query('select count(*) from sep.customer_files')
    const upload = (path: string, method: string, name: string, content: Uint8Array<ArrayBuffer>) => {
      const form = new FormData()
      form.set('first_name', 'A')
      form.set(name, new Blob([content], { type: 'image/png' }), 'x.png')
      return ask(path, { method, token: mine, body: form }).catch(() => null)
    }
    const before = await count()
    for (const [path, method, name] of [
      ['/sep12/customer/files', 'POST', 'file'],
      ['/sep12/customer', 'PUT', 'photo_id_front'],
    ] as const) {
      const lie = await upload(path, method, name, new TextEncoder().encode('<svg onload=alert(1)>'))
      expect(lie?.status).toBe(400)
      expect(lie?.body).toEqual({
        error: `'${name}' cannot be decoded. Must be jpg, png, webp, heic or pdf.`,
      })
      const huge = await upload(path, method, name, picture(11 * 1024 * 1024))
      // The connection may be closed before the answer is read.
      if (huge) expect([huge.status, huge.body]).toEqual([413, { error: expect.any(String) }])
    }
    expect(
      (await ask('/sep12/customer/files', { method: 'POST', token: mine, json: { file: 'x' } })).status,
    ).toBe(400)
    expect((await ask('/sep12/customer', { token: mine })).body.id).toBeUndefined()
    expect(await count()).toEqual(before)
    const tries = []
    for (let n = 0; n < 11; n++)
      tries.push((await upload('/sep12/customer/files', 'POST', 'file', picture()))?.status)
    expect(tries).toEqual([...Array(10).fill(200), 429])
  })

  it('sends the wallet’s server each new status once, signed, and nothing after the final one', async () => {
    const received: { body: string; signature: string; host: string }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        received.push({
          body,
          signature: String(request.headers.signature),
          host: String(request.headers.host),
        })
        response.end()
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const wallet = await fundedWallet(running)
      registerWallet(running, wallet, 'NEEDS_INFO')
      const mine = await logIn(running, wallet)
      const callback = (url: unknown) =>
        ask('/sep12/customer/callback', { method: 'PUT', token: mine, json: { url } })
      const url = `http://127.0.0.1:${port}/kyc`
      expect((await callback(url)).status).toBe(404)
      await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
      for (const bad of [
        '',
        'nonsense',
        'javascript:alert(1)',
        'http://u:p@127.0.0.1/',
        'ftp://a.example/',
      ]) {
        expect((await callback(bad)).status).toBe(400)
      }
      expect((await callback(url)).status).toBe(200)
      const rest = { last_name: 'B', email_address: 'c@d.example' }
      await ask('/sep12/customer', { method: 'PUT', token: mine, json: rest })
      await until('the final status is sent', async () =>
        received.some(({ body }) => body.includes('"ACCEPTED"')),
      )
      const statuses = received.map(({ body }) => JSON.parse(body).status)
      expect(statuses).toEqual([...new Set(statuses)])
      // Set when there was nothing but a first name: the check that began is sent too.
      expect(statuses.slice(-2)).toEqual(['PROCESSING', 'ACCEPTED'])
      const [first] = received
      const [, time, value] = /^t=(\d+), s=(.+)$/.exec(first?.signature ?? '') ?? []
      const signed = Buffer.from(`${time}.${first?.host}.${first?.body}`)
      const anchor = Keypair.fromPublicKey(running.anchor.accounts.signing)
      expect(anchor.verify(signed, new Uint8Array(Buffer.from(value ?? '', 'base64')))).toBe(true)
      expect(await running.query('select 1 from sep.customer_callbacks where url = $1', [url])).toEqual([])
    } finally {
      server.close()
    }
  })
})

it('an approval is asked for again after a while, so that the platform’s later decision counts', async () => {
  const wallet = await fundedWallet(running)
  const id = registerWallet(running, wallet)
  const mine = await logIn(running, wallet)
  await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  const platform = running.platform.customers.get(id)
  if (platform) platform.status = 'REJECTED'
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  await running.query(
    "update business.kyc_statuses set updated_at = now() - interval '11 minutes', completed_at = now() - interval '11 minutes' where central_id = $1",
    [id],
  )
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('REJECTED')
})
