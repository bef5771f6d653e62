import fc from 'fast-check'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readMultipart } from './form.ts'

const TYPE = 'multipart/form-data; boundary=edge'

/** Byte by byte where it is `torn`. */
async function read(body: string, { type = TYPE, torn = false } = {}) {
  const bytes = Buffer.from(body)
  const chunks = torn ? Array.from(bytes, byte => Buffer.from([byte])) : [bytes]
  const files: [name: string, bytes: Buffer][] = []
  const texts = await readMultipart(Readable.from(chunks), type, 5, async (name, stream) => {
    const held: Buffer[] = []
    for await (const chunk of stream) held.push(chunk)
    files.push([name, Buffer.concat(held)])
  })
  return { texts, files }
}
const part = (headers: string, body: string) => `--edge\r\n${headers}\r\n\r\n${body}\r\n`
const named = (name: string, rest = '') => `Content-Disposition: form-data; name="${name}"${rest}`
const END = '--edge--\r\n'

describe('a multipart form', () => {
  it.each([
    ['has a filename', named('any', '; filename="a.png"')],
    ['has bytes for its content', `${named('any')}\r\nContent-Type: application/octet-stream`],
    ['has a picture for its content', `${named('any')}\r\nContent-Type: image/png`],
    ['is named as SEP-9 names a file', named('photo_id_front')],
  ])('takes for a file a part that %s', async (_what, headers) => {
    const { texts, files } = await read(part(headers, '\0\x89PNG') + END)
    expect(texts).toEqual([])
    expect(files.map(([, bytes]) => bytes)).toEqual([Buffer.from('\0\x89PNG')])
  })

  it.each([
    ['says nothing of its content', named('first_name')],
    ['says that it is text', `${named('first_name')}\r\nContent-Type: text/plain; charset=utf-8`],
  ])('takes for a text a part that %s', async (_what, headers) => {
    const { texts, files } = await read(part(headers, 'Zoë') + END)
    expect({ texts, files }).toEqual({ texts: [['first_name', 'Zoë']], files: [] })
  })

  it('has no parts beyond the most', async () => {
    const { texts } = await read(part(named('x'), 'y').repeat(9) + END)
    expect(texts).toHaveLength(5)
  })

  it.each([
    ['nothing of the kind', 'hello'],
    ['a part that does not end', part(named('photo_id_front'), 'abc')],
    ['headers that do not end', '--edge\r\nContent-Disposition: form-data'],
  ])('is refused where it is %s', async (_what, body) => {
    await expect(read(body)).rejects.toThrow()
  })

  it('is the same in whatever pieces it comes', async () => {
    const form = part(named('photo_id_front'), 'abc\r\n--edg') + part(named('first_name'), 'Zoë') + END
    expect(await read(form, { torn: true })).toEqual(await read(form))
  })

  it('is refused with what refuses one of its files, without the rest being waited for', async () => {
    const refusal = new Error('too many files')
    const endless = async function* () {
      yield Buffer.from('--edge\r\nContent-Disposition: form-data; name="photo_id_front"\r\n\r\n')
      for (;;) yield Buffer.alloc(100_000)
    }
    await expect(readMultipart(endless(), TYPE, 5, () => Promise.reject(refusal))).rejects.toBe(refusal)
  })

  it('is refused without a boundary', async () => {
    await expect(read(END, { type: 'multipart/form-data' })).rejects.toThrow()
  })

  it('is read or refused, whatever it holds', async () => {
    const pieces = ['--edge', '--', '\r\n', '\r\n\r\n', named('a'), named('photo_id_back'), 'x', ': ', '\0']
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), async each => {
        const outcome = await read(each.join('')).then(
          ({ texts, files }) => texts.length + files.length,
          () => 0,
        )
        expect(outcome).toBeLessThanOrEqual(5)
      }),
    )
  })
})
