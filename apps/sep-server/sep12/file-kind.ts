import { refused } from '../sep-errors.ts'

const kinds: readonly { type: string; begins: readonly (readonly [number, string])[] }[] = [
  { type: 'image/jpeg', begins: [[0, 'ffd8ff']] },
  { type: 'image/png', begins: [[0, '89504e470d0a1a0a']] },
  { type: 'application/pdf', begins: [[0, '255044462d']] },
  // ISO base media: "ftyp" and the brands that phones write.
  {
    type: 'image/heic',
    begins: [
      [4, '6674797068656963'],
      [4, '667479706d696631'],
    ],
  },
]

/** What a file is by its first bytes, whatever it claims to be. Throws a refusal for what no anchor looks at. */
export function fileKind(name: string, bytes: Buffer): string {
  const found = kinds.find(({ begins }) =>
    begins.some(([at, hex]) => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex),
  )
  if (!found) throw refused(`'${name}' cannot be decoded. Must be jpg, png, heic or pdf.`)
  return found.type
}
