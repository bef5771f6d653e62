import { createHmac, timingSafeEqual } from 'node:crypto'

/** Parameters of RFC 6238 that every authenticator app knows: SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30
const DIGITS = 6

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / STEP_SECONDS)

/** The code of a time step (RFC 4226 §5.3). */
export function totp(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

/** The step of a code, at most one off from the present one, for clocks that differ; null for a wrong code. */
export function stepOf(secret: Buffer, code: string, now: Date): number | null {
  const given = Buffer.from(code)
  const present = stepAt(now)
  const steps = [present, present - 1, present + 1].filter(step => {
    const expected = Buffer.from(totp(secret, step))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return steps[0] ?? null
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => BASE32[parseInt(five.padEnd(5, '0'), 2)]).join('')
}
