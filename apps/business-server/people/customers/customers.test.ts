import { Problem } from '@windlass/service/http/problem.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer, findCustomerById } from './customers.ts'
import { keepFiles, listFiles, openFile, readDataUrl } from './files.ts'
import { sealedCustomerFiles, sealedCustomers } from './seal-details.ts'
import { deleteCustomer, putCustomer, readCustomer } from './sep12.ts'
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
const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`
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
    await keepFiles(app.deps, rotated, [readDataUrl('photo_id_front', dataUrl(PNG))])
    const { rotating, newOnly } = withNewerKey(app.deps)
    const columns = [sealedCustomers, sealedCustomerFiles]
    expect(await rotate(rotating, ...columns)).toBeGreaterThanOrEqual(3)
    expect(await rotate(rotating, ...columns)).toBe(0)
    expect(await findCustomerById(newOnly, id)).toMatchObject({
      fields: { first_name: 'Open' },
      pendingEmail: 'a@b.example',
    })
    expect((await findCustomerById(newOnly, rotated))?.fields).toEqual({ first_name: 'Old key' })
    expect((await openFile(newOnly, rotated, 'photo_id_front'))?.bytes).toEqual(PNG)
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
      { photo_id_front: dataUrl(PNG), first_name: 'Asha' },
    )
    expect((await readCustomer(app.deps, { account })).provided_fields).toMatchObject({
      first_name: { type: 'string' },
      photo_id_front: { type: 'binary', status: 'PROCESSING' },
    })
    const [row] = await query<{ sealed: Buffer }>(
      'select sealed from customer_files where customer_id = $1',
      [id],
    )
    expect(row?.sealed.includes(PNG.subarray(8))).toBe(false)
    expect(row?.sealed.toString('latin1')).not.toContain(PNG.toString('base64').slice(12))
    const later = Buffer.concat([PNG, Buffer.from('!')])
    await putCustomer(app.deps, { account }, { photo_id_front: dataUrl(later) })
    expect((await openFile(app.deps, id, 'photo_id_front'))?.bytes).toEqual(later)
    expect(await listFiles(app.deps, id)).toHaveLength(1)
    await deleteCustomer(app.deps, id, async () => [])
    expect(await query('select 1 from customer_files where customer_id = $1', [id])).toEqual([])
  })

  it.each([
    ['what is no picture', dataUrl(Buffer.from('<svg onload=x>')), /must be a JPEG/],
    ['a page that says it is a picture', dataUrl(Buffer.from('<!doctype html>')), /must be a JPEG/],
    ['what is no base64', 'data:image/png;base64,%%%', /is not a file/],
    ['nothing', 'data:image/png;base64,', /is not a file/],
    ['more than 5 MB', dataUrl(Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)])), /larger than 5 MB/],
  ])('refuse %s, and nothing is kept', async (_what, file, why) => {
    const account = generateKey().publicKey
    await expect(
      putCustomer(app.deps, { account }, { photo_id_front: file, first_name: 'A' }),
    ).rejects.toThrow(why)
    expect((await readCustomer(app.deps, { account })).id).toBeUndefined()
  })

  it('are at most twenty', async () => {
    const { id } = await someone()
    const files = Array.from({ length: 21 }, (_, index) => ({
      ...readDataUrl('x', dataUrl(PNG)),
      name: `file_${index}`,
    }))
    await expect(keepFiles(app.deps, id, files)).rejects.toThrow(Problem)
    expect(await listFiles(app.deps, id)).toEqual([])
  })
})

describe('the operator’s review', () => {
  const ask = (path: string, key: string) =>
    app.server.app.inject({ url: `/api/v1/customers/${path}`, headers: { authorization: `Bearer ${key}` } })

  it('shows details and files to a key that may write, and to no other', async () => {
    const { id } = await someone()
    await changeCustomer(app.deps, id, { fields: { last_name: 'Rao' } })
    await keepFiles(app.deps, id, [readDataUrl('photo_id_front', dataUrl(PNG))])
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
