import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer, findCustomerById } from './customers.ts'
import { deleteWaitingFiles, listFiles, openFile, receiveFile } from './files.ts'
import { fileContext, sealedCustomerFiles, sealedCustomers, sealedFilePieces } from './seal-details.ts'
import { deleteCustomer, putCustomer, readCustomer } from './sep12.ts'
import { bytesOf, giveFile, upload } from './testing/give-file.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
  app.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_known',
    status: 'NEEDS_INFO',
    walletVerified: true,
  })
  app.deps.keys.verify = async key => ({
    anchorId: 'mumbai00000000000000',
    keyId: 'key_1',
    scopes: key === 'all' ? ['read', 'write'] : ['read', 'webhooks'],
  })
})
afterAll(() => app.close())

const someone = () => ensureCustomer(app.deps, generateKey().publicKey, null)
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('secret face')])
const query = async <T>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await app.deps.database.pool.query(text, values)).rows as T[]

describe('details that customers send', () => {
  it('is stored sealed in the database, and opens for its customer alone', async () => {
    const { id } = await someone()
    await changeCustomer(app.deps, id, { fields: { first_name: 'Asha' }, pendingEmail: 'asha@example.com' })
    expect(await findCustomerById(app.deps, id)).toMatchObject({
      fields: { first_name: 'Asha' },
      pendingEmail: 'asha@example.com',
    })
    const [row] = await query<{ details: Buffer; fields: object; pending_email: null }>(
      'select details, fields, pending_email from customers where id = $1',
      [id],
    )
    expect(row).toMatchObject({ fields: {}, pending_email: null })
    expect(row?.details.toString('latin1')).not.toContain('sha')
    const other = await someone()
    await query('update customers set details = $2 where id = $1', [other.id, row?.details])
    await expect(findCustomerById(app.deps, other.id)).rejects.toThrow()
    await query('update customers set details = null where id = $1', [other.id])
  })

  it('is added to by two requests at once without a loss', async () => {
    const { id } = await someone()
    const names = Array.from({ length: 8 }, (_, index) => `field_${index}`)
    await Promise.all(names.map(name => changeCustomer(app.deps, id, { fields: { [name]: 'x' } })))
    expect(Object.keys((await findCustomerById(app.deps, id))?.fields ?? {}).sort()).toEqual(names)
  })

  it('does not grow without end', async () => {
    const { id } = await someone()
    const many = (from: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field_${from + index}`, 'x']))
    await changeCustomer(app.deps, id, { fields: many(0) })
    await expect(changeCustomer(app.deps, id, { fields: many(60) })).rejects.toThrow(/at most 100 fields/)
    expect(Object.keys((await findCustomerById(app.deps, id))?.fields ?? {})).toHaveLength(60)
  })

  it('of an earlier version, and under an older key, is sealed under the newest at the start', async () => {
    const { id } = await someone()
    await query("update customers set fields = $2, pending_email = 'a@b.example' where id = $1", [
      id,
      { first_name: 'Open' },
    ])
    const { id: rotated } = await someone()
    await changeCustomer(app.deps, rotated, { fields: { first_name: 'Old key' } })
    await giveFile(app.deps, rotated, 'photo_id_front', PNG)
    const { rotating, newOnly } = withNewerKey(app.deps)
    const columns = [sealedCustomers, sealedCustomerFiles, sealedFilePieces]
    expect(await rotate(rotating, ...columns)).toBeGreaterThanOrEqual(4)
    expect(await rotate(rotating, ...columns)).toBe(0)
    expect(await findCustomerById(newOnly, id)).toMatchObject({
      fields: { first_name: 'Open' },
      pendingEmail: 'a@b.example',
    })
    expect((await findCustomerById(newOnly, rotated))?.fields).toEqual({ first_name: 'Old key' })
    expect(await bytesOf(await openFile(newOnly, rotated, 'photo_id_front'))).toEqual(PNG)
    expect(await query("select 1 from customers where fields <> '{}' or pending_email is not null")).toEqual(
      [],
    )
    await query('delete from customers')
  })
})

describe('files by SEP-12', () => {
  it('are stored sealed, listed as provided, replaced by a later one, and deleted with the customer', async () => {
    const account = generateKey().publicKey
    const { id } = await putCustomer(
      app.deps,
      { account },
      { photo_id_front_file_id: await upload(app.deps, PNG), first_name: 'Asha' },
    )
    expect((await readCustomer(app.deps, { account })).provided_fields).toMatchObject({
      first_name: { type: 'string' },
      photo_id_front: { type: 'binary', status: 'PROCESSING' },
    })
    const [row] = await query<{ sealed: Buffer }>(
      `select pieces.sealed from customer_file_pieces as pieces
       join customer_files on customer_files.id = file_id where customer_id = $1`,
      [id],
    )
    expect(row?.sealed.includes(PNG.subarray(8))).toBe(false)
    expect(row?.sealed.toString('latin1')).not.toContain(PNG.toString('base64').slice(12))
    const later = Buffer.concat([PNG, Buffer.from('!')])
    await putCustomer(app.deps, { account }, { photo_id_front_file_id: await upload(app.deps, later) })
    expect(await bytesOf(await openFile(app.deps, id, 'photo_id_front'))).toEqual(later)
    expect(await listFiles(app.deps, id)).toHaveLength(1)
    await deleteCustomer(app.deps, id, async () => ({ transactions: [], moved: false }))
    expect(await query('select 1 from customer_files where customer_id = $1', [id])).toEqual([])
  })

  it('may be named again after a lost answer, by their customer and under their name alone', async () => {
    const [account, other] = [generateKey().publicKey, generateKey().publicKey]
    const file = await upload(app.deps, PNG)
    const put = (of: string, name: string) =>
      putCustomer(app.deps, { account: of }, { [`${name}_file_id`]: file })
    const { id } = await put(account, 'photo_id_front')
    const files = await listFiles(app.deps, id)
    expect(await put(account, 'photo_id_front')).toEqual({ id })
    await expect(put(account, 'photo_id_back')).rejects.toThrow('is not a file that was uploaded')
    await expect(put(other, 'photo_id_front')).rejects.toThrow('is not a file that was uploaded')
    expect(await listFiles(app.deps, id)).toEqual(files)
    expect(await bytesOf(await openFile(app.deps, id, 'photo_id_front'))).toEqual(PNG)
  })

  it('may be sent again after a lost answer, or once an upload was cut off', async () => {
    const id = randomUUID()
    const send = (bytes = PNG) => receiveFile(app.deps, { id, name: 'file' }, Readable.from([bytes]))
    const stored = await send()
    const large = Buffer.concat([PNG, randomBytes(400_000)])
    expect(await send(large)).toEqual(stored)
    const pieces = () => query('select number from customer_file_pieces where file_id = $1', [id])
    expect(await pieces()).toEqual([{ number: 0 }])

    await query('update customer_files set size = 0 where id = $1', [id])
    await expect(send(large)).rejects.toThrow('is being received')
    expect(await pieces()).toEqual([{ number: 0 }])
    await query("update customer_files set created_at = now() - interval '1 hour' where id = $1", [id])
    expect(await send(large)).toEqual({ ...stored, size: large.length })
    expect(await pieces()).toHaveLength(3)
  })

  it.each([
    ['what is no picture', Buffer.from('<svg onload=x>'), /must be a JPEG/],
    ['a page that says it is a picture', Buffer.from('<!doctype html>'), /must be a JPEG/],
    ['nothing', Buffer.alloc(0), /is not a file/],
    ['more than 10 MB', Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]), /larger than 10 MB/],
  ])('refuse %s, and nothing is kept', async (_what, bytes, why) => {
    const before = await query('select count(*) from customer_files')
    await expect(upload(app.deps, bytes)).rejects.toThrow(why)
    expect(await query('select count(*) from customer_files')).toEqual(before)
  })

  it('of 10 MB are read in pieces as they came', async () => {
    const { id } = await someone()
    const large = Buffer.concat([PNG, randomBytes(10 * 1024 * 1024 - PNG.length)])
    await giveFile(app.deps, id, 'photo_id_front', large)
    expect((await bytesOf(await openFile(app.deps, id, 'photo_id_front')))?.equals(large)).toBe(true)
    const pieces = await query<{ size: number }>('select length(sealed) as size from customer_file_pieces')
    expect(Math.max(...pieces.map(({ size }) => size))).toBeLessThan(300_000)
  })

  it('are not taken for whole where pieces are missing', async () => {
    const { id } = await someone()
    await giveFile(app.deps, id, 'photo_id_front', Buffer.concat([PNG, randomBytes(400_000)]))
    const last = `(file_id, number) in (select file_id, max(number) from customer_file_pieces
      where file_id in (select id from customer_files where customer_id = '${id}') group by file_id)`
    await query(`delete from customer_file_pieces where ${last}`)
    await expect(openFile(app.deps, id, 'photo_id_front').then(bytesOf)).rejects.toThrow(
      'pieces of a file are missing',
    )
  })

  it('are refused while too much waits for customers, and those that come count as whole ones', async () => {
    await query(
      'insert into customer_files (media_type, size) select $1, 10485760 from generate_series(1, 204)',
      ['image/png'],
    )
    await query('insert into customer_files (media_type, size) values ($1, 0)', ['image/png'])
    await expect(upload(app.deps, PNG)).rejects.toThrow('Too many files wait')
    await query('delete from customer_files where customer_id is null and size in (0, 10485760)')
    await upload(app.deps, PNG)
  })

  it('of an earlier release, sealed as a whole, open as they did', async () => {
    const { id } = await someone()
    const sealed = app.deps.sealer.seal(PNG.toString('base64'), fileContext(id, 'photo_id_front'))
    await query(
      "insert into customer_files (customer_id, name, media_type, size, sealed) values ($1, 'photo_id_front', 'image/png', 5, $2)",
      [id, sealed],
    )
    expect(await bytesOf(await openFile(app.deps, id, 'photo_id_front'))).toEqual(PNG)
  })

  it('open for their customer alone, although someone writes to the database', async () => {
    const [{ id }, { id: other }] = [await someone(), await someone()]
    await giveFile(app.deps, id, 'photo_id_front', PNG)
    await giveFile(app.deps, other, 'photo_id_front', PNG)
    await query('update customer_files set customer_id = $2, name = $3 where customer_id = $1', [
      id,
      other,
      'x',
    ])
    await expect(openFile(app.deps, other, 'x')).rejects.toThrow()
    // With the other's own name for a file, and this one's pieces.
    await query(
      `update customer_files set sealed = (select sealed from customer_files where customer_id = $1 and name = 'photo_id_front')
       where customer_id = $1 and name = 'x'`,
      [other],
    )
    await expect(openFile(app.deps, other, 'x')).rejects.toThrow()
  })

  it('that no customer names are deleted after a day', async () => {
    const id = await upload(app.deps)
    await deleteWaitingFiles(app.deps.database.db)
    expect(await query('select 1 from customer_files where id = $1', [id])).toHaveLength(1)
    await query(
      "update customer_files set created_at = now() - interval '26 hours' where customer_id is null",
    )
    await deleteWaitingFiles(app.deps.database.db)
    expect(await query('select 1 from customer_files where id = $1', [id])).toEqual([])
    expect(await query('select 1 from customer_file_pieces where file_id = $1', [id])).toEqual([])
  })
})

describe('the operator’s review', () => {
  const ask = (path: string, key: string) =>
    app.server.app.inject({ url: `/api/v1/customers/${path}`, headers: { authorization: `Bearer ${key}` } })

  it('shows details and files to a key that may write, and to no other', async () => {
    const { id } = await someone()
    await changeCustomer(app.deps, id, { fields: { last_name: 'Rao' } })
    await giveFile(app.deps, id, 'photo_id_front', PNG)
    expect((await ask(id, 'reader')).statusCode).toBe(403)
    expect((await ask(`${id}/files/photo_id_front`, 'reader')).statusCode).toBe(403)
    expect((await ask(id, 'all')).json()).toMatchObject({
      id,
      status: 'NEEDS_INFO',
      fields: { last_name: 'Rao' },
      files: [{ name: 'photo_id_front', mediaType: 'image/png', size: PNG.length }],
    })
    const file = await ask(`${id}/files/photo_id_front`, 'all')
    expect(file.rawPayload).toEqual(PNG)
    expect(file.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="photo_id_front"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    for (const path of ['nobody', `${id}/files/none`, 'nobody/files/x']) {
      expect((await ask(path, 'all')).statusCode).toBe(404)
    }
  })
})
