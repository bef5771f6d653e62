import { crc32, deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { unpack } from './file-content.ts'

interface File {
  name: string
  content: Buffer | string
  flags?: number
  method?: 0 | 8 | 12
  /** What the archive tells. */
  size?: number
}

/** A ZIP archive, as the format says (APPNOTE 4.3), also a wrong one. */
function zip(files: readonly File[]): Buffer {
  const [bodies, list]: Buffer[][] = [[], []]
  let offset = 0
  for (const { name, content, flags = 0, method = 8, size } of files) {
    const bytes = Buffer.from(content)
    const packed = method === 8 ? deflateRawSync(bytes) : bytes
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(size ?? bytes.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const body = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    list!.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), fields, rest, Buffer.from(name)]),
    )
    bodies!.push(body)
    offset += body.length
  }
  const entries = Buffer.concat(list!)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(entries.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies!, entries, Buffer.from('PK\u0005\u0006'), end])
}
const file: File = { name: 'a.xml', content: '<Document/>' }

it('the files of an archive are unpacked in the order of its list, and what is none stays as it is', () => {
  const made = zip([file, { name: 'b.xml', content: 'second', method: 0 }])
  expect(unpack(made).map(String)).toEqual(['<Document/>', 'second'])
  expect(unpack(Buffer.from('<Document/>')).map(String)).toEqual(['<Document/>'])
})

it.each<[string, File[], RegExp]>([
  ['with a folder', [{ ...file, name: 'x/a.xml' }], /in a folder/],
  ['that leads out', [{ ...file, name: '..\\a.xml' }], /in a folder/],
  ['encrypted', [{ ...file, flags: 1 }], /encrypted/],
  ['packed otherwise', [{ ...file, method: 12 }], /packed in a way/],
  ['that grows beyond measure', [{ ...file, content: Buffer.alloc(2_000_000) }], /far larger/],
  ['that says less than it has', [{ ...file, size: 3 }], /broken/],
  ['with another in it', [{ ...file, content: zip([file]) }], /archive in it/],
  ['of nothing', [], /no file/],
  ['of too many', Array.from({ length: 101 }, () => file), /more than 100/],
])('an archive is refused: one %s', (_, files, why) => {
  // What begins an archive without files is its end.
  const made = files.length === 0 ? Buffer.concat([Buffer.from('PK\u0003\u0004'), zip([])]) : zip(files)
  expect(() => unpack(made)).toThrow(why)
})

it('an archive that is cut off anywhere is refused', () => {
  const made = zip([file, file])
  for (let length = 4; length < made.length; length += 1)
    expect(() => unpack(made.subarray(0, length))).toThrow(/broken|cut off/)
})

it('an archive that is damaged is refused', () => {
  const made = zip([{ ...file, method: 0 }])
  made[made.indexOf('Document')] = 0x64
  expect(() => unpack(made)).toThrow(/broken/)
})
