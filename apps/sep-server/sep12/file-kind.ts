import { refused } from '../sep-errors.ts'

const kinds: readonly { type: string; fits(bytes: Buffer): boolean }[] = [
  { type: 'image/jpeg', fits: bytes => at(bytes, 0, '\xff\xd8\xff') },
  { type: 'image/png', fits: bytes => at(bytes, 0, '\x89PNG\r\n\x1a\n') },
  { type: 'application/pdf', fits: bytes => at(bytes, 0, '%PDF-') },
  { type: 'image/webp', fits: bytes => at(bytes, 0, 'RIFF') && at(bytes, 8, 'WEBP') },
  {
    // ISO base media: "ftyp" and the brands that phones write.
    type: 'image/heic',
    fits: bytes =>
      at(bytes, 4, 'ftyp') && ['heic', 'heix', 'mif1', 'msf1'].some(brand => at(bytes, 8, brand)),
  },
]

const at = (bytes: Buffer, offset: number, text: string) =>
  bytes.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'))

/** What a file is by its first bytes, whatever it claims to be. Throws a refusal for what no anchor looks at. */
export function fileKind(name: string, bytes: Buffer): string {
  const found = kinds.find(({ fits }) => fits(bytes))
  if (!found) throw refused(`'${name}' cannot be decoded. Must be jpg, png, webp, heic or pdf.`)
  return found.type
}
