import { createHash } from 'node:crypto'

/*
 * Travel addresses of the Travel Rule Protocol: `ta`, and the address of an inquiry without its scheme in Base58Check.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const PREFIX = 'ta'
const CHECK_BYTES = 4

const digest = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
const checkOf = (bytes: Buffer): Buffer => digest(digest(bytes)).subarray(0, CHECK_BYTES)

/** The travel address of a URL, in which `t=i` says that it takes inquiries. */
export function travelAddressOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  searchParams.set('t', 'i')
  const bytes = Buffer.from(`${host}${pathname === '/' ? '' : pathname}?${searchParams}`)
  return PREFIX + encode(Buffer.concat([bytes, checkOf(bytes)]))
}

/** Where a travel address says that inquiries go; null: it is none. */
export function urlOfTravelAddress(address: string, scheme: 'https' | 'http' = 'https'): string | null {
  const bytes = address.startsWith(PREFIX) ? decode(address.slice(PREFIX.length)) : null
  if (!bytes || bytes.length <= CHECK_BYTES) return null
  const [text, check] = [bytes.subarray(0, -CHECK_BYTES), bytes.subarray(-CHECK_BYTES)]
  if (!checkOf(text).equals(check)) return null
  const url = URL.parse(`${scheme}://${text.toString('utf8')}`)
  if (!url || url.username || url.password || url.searchParams.get('t') !== 'i') return null
  return url.href
}

function encode(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = (ALPHABET[Number(number % 58n)] ?? '') + text
  const zeros = bytes.findIndex(byte => byte !== 0)
  return '1'.repeat(Math.max(zeros, 0)) + text
}

function decode(text: string): Buffer | null {
  let number = 0n
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter)
    if (digit < 0) return null
    number = number * 58n + BigInt(digit)
  }
  const hex = number === 0n ? '' : number.toString(16)
  const zeros = text.length - text.replace(/^1+/, '').length
  return Buffer.concat([
    Buffer.alloc(zeros),
    Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'),
  ])
}
