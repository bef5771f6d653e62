import { Keypair } from '@stellar/stellar-sdk/base'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRunningAnchor, type RunningAnchor } from '../testing/running-anchor.ts'
import { logIn } from '../testing/wallet.ts'

const MB = 1024 * 1024
/** Less than twenty files take, once. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=72 --max-semi-space-size=1' }

let running: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor()
  await Promise.all([running.kill('sep'), running.kill('business')])
  await Promise.all([running.start('sep', SMALL_HEAP), running.start('business', SMALL_HEAP)])
})
afterAll(() => running.stop())

function picture(bytes: number): Buffer<ArrayBuffer> {
  const content = randomBytes(bytes)
  content.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return content
}

async function send(path: string, method: string, token: string, files: Record<string, Buffer<ArrayBuffer>>) {
  const body = new FormData()
  for (const [name, bytes] of Object.entries(files))
    body.set(name, new Blob([bytes], { type: 'image/png' }), 'x.png')
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(running.anchor.publicUrl + path, { method, headers, body })
  return { status: answer.status, body: await answer.json() }
}
const upload = (token: string, bytes: Buffer<ArrayBuffer>) =>
  send('/sep12/customer/files', 'POST', token, { file: bytes })

const waiting = () =>
  running.query<{ size: number; pieces: number }>(
    `select size, (select count(*)::int from business.customer_file_pieces where file_id = id) as pieces
     from business.customer_files where customer_id is null order by size desc`,
  )

it('twenty at once of 10 MB, with free keys, are kept or refused, and both servers live', async () => {
  const tokens = await Promise.all(Array.from({ length: 4 }, () => logIn(running, Keypair.random())))
  const large = picture(10 * MB)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => upload(tokens[index % 4] ?? '', large)),
  )
  for (const { status, body } of answers) {
    expect([200, 429, 503]).toContain(status)
    expect(body).toEqual(
      status === 200 ? expect.objectContaining({ size: 10 * MB }) : { error: expect.any(String) },
    )
  }
  const kept = answers.filter(({ status }) => status === 200).length
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(20)
  expect(await waiting()).toEqual(Array(kept).fill({ size: 10 * MB, pieces: Math.ceil((10 * MB) / 196_608) }))
  expect((await upload(await logIn(running, Keypair.random()), large)).status).toBe(200)
  // Neither was started again meanwhile.
  expect(running.logs()).not.toContain('heap out of memory')
  const health = await fetch(`${running.businessUrl}/health`)
  expect(health.status).toBe(200)
})

it('two of 10 MB that come with a customer’s details are given to the customer', async () => {
  const token = await logIn(running, Keypair.random())
  const files = { photo_id_front: picture(10 * MB), photo_id_back: picture(10 * MB) }
  const { status, body } = await send('/sep12/customer', 'PUT', token, files)
  expect({ status, body }).toEqual({ status: 202, body: { id: expect.any(String) } })
  expect(
    await running.query(
      'select name, size from business.customer_files where customer_id = $1 order by name',
      [body.id],
    ),
  ).toEqual([
    { name: 'photo_id_back', size: 10 * MB },
    { name: 'photo_id_front', size: 10 * MB },
  ])
})

it('one that was named before may be named again, since the answer may be lost', async () => {
  const token = await logIn(running, Keypair.random())
  const { body } = await upload(token, picture(100))
  const put = (name: string) =>
    fetch(`${running.anchor.publicUrl}/sep12/customer`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ [`${name}_file_id`]: body.file_id }),
    }).then(async answer => ({ status: answer.status, body: await answer.json() }))
  const first = await put('photo_id_front')
  expect(first).toEqual({ status: 202, body: { id: expect.any(String) } })
  expect(await put('photo_id_front')).toEqual(first)
  // The SEP server ended before it noted what the business server did.
  await running.query('update sep.customer_files set customer_id = null where id = $1', [body.file_id])
  expect(await put('photo_id_front')).toEqual(first)
  expect((await put('photo_id_back')).status).toBe(400)
  expect(
    await running.query('select name from business.customer_files where customer_id = $1', [first.body.id]),
  ).toEqual([{ name: 'photo_id_front' }])
})

it('those of a change that is refused, and of a customer who is deleted, wait no longer', async () => {
  const key = Keypair.random()
  const token = await logIn(running, key)
  const headers = { authorization: `Bearer ${token}` }
  const url = `${running.anchor.publicUrl}/sep12/customer`
  const before = await waiting()
  // The first is refused by the form, the others by who reads it.
  for (const [name, value] of [
    ['a wrong name', 'x'],
    ['memo', 'not a number'],
    ['email_address', 'not an address'],
  ] as const) {
    const body = new FormData()
    body.set('photo_id_front', new Blob([picture(1000)], { type: 'image/png' }), 'x.png')
    body.set(name, value)
    const { status } = await fetch(url, { method: 'PUT', headers, body })
    expect({ name, status }).toEqual({ name, status: 400 })
    expect(await waiting()).toEqual(before)
  }
  expect((await send('/sep12/customer', 'PUT', token, { photo_id_front: picture(1000) })).status).toBe(202)
  expect((await upload(token, picture(1000))).status).toBe(200)
  expect(await waiting()).toHaveLength(before.length + 1)
  expect((await fetch(`${url}/${key.publicKey()}`, { method: 'DELETE', headers })).status).toBe(200)
  expect(await waiting()).toEqual(before)
})

it('one of more than 10 MB, and one that is no picture, leave nothing', async () => {
  const token = await logIn(running, Keypair.random())
  const before = await waiting()
  const page = Buffer.concat([Buffer.from('<!doctype html>'), Buffer.alloc(9 * MB)])
  for (const [bytes, status] of [
    [picture(10 * MB + 1), 413],
    [picture(12 * MB), 413],
    [page, 400],
  ] as const) {
    const answer = await upload(token, bytes)
    expect(answer).toEqual({ status, body: { error: expect.any(String) } })
    const put = await send('/sep12/customer', 'PUT', token, { photo_id_front: bytes })
    expect(put).toEqual({ status, body: { error: expect.any(String) } })
  }
  // The business server notices that an upload was cut off when it reads on.
  await expect.poll(waiting, { timeout: 20_000 }).toEqual(before)
  expect(await running.query('select 1 from sep.customer_files where size = 0')).toEqual([])
})

it('a change that is no form has at most half a megabyte, and a stranger’s is not read', async () => {
  const token = await logIn(running, Keypair.random())
  const put = (headers: Record<string, string>, body: string) =>
    fetch(`${running.anchor.publicUrl}/sep12/customer`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }).then(
      ({ status }) => status,
      // The connection may be closed before the answer is read.
      () => null,
    )
  const json = JSON.stringify({ first_name: 'A'.repeat(513 * 1024) })
  expect([413, null]).toContain(await put({ authorization: `Bearer ${token}` }, json))
  expect(await put({}, '{"first_name":')).toBe(403)
})
