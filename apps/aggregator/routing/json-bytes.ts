import { formatAmount, type Amount } from '@windlass/money/amount.ts'

const ZERO = 48
const POINT = 46
/** An amount's units in one. */
const UNITS = 10_000_000
/** More than a number takes. */
const NUMBER = 32

/**
 * JSON as bytes, put together from pieces. Joining hundreds of short texts takes several times as long: each is an
 * object, and all are copied twice more before they are sent (ADR 0010).
 */
export class JsonBytes {
  #bytes = Buffer.allocUnsafe(65_536)
  #length = 0

  /** Forgets what was put together before, taken or not. */
  start(text: string): void {
    this.#length = 0
    this.text(text)
  }

  /** What was put together since the start, as bytes of its own. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  text(text: string): void {
    this.#makeRoom(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  piece(piece: Uint8Array): void {
    this.#makeRoom(piece.length)
    this.#bytes.set(piece, this.#length)
    this.#length += piece.length
  }

  /** A score from 0 to 100 of at most four digits after the point. */
  score(score: number): void {
    this.#decimal(Math.round(score * 10_000), 10_000, 4)
  }

  /** As {@link formatAmount}, of an amount that is not negative. */
  amount(amount: Amount): void {
    const units = Number(amount)
    if (Number.isSafeInteger(units)) this.#decimal(units, UNITS, 7)
    else this.text(formatAmount(amount))
  }

  whole(number: number): void {
    this.#decimal(number, 1, 0)
  }

  #decimal(parts: number, inOne: number, digits: number): void {
    this.#makeRoom(NUMBER)
    const whole = Math.floor(parts / inOne)
    let end = this.#length + 1
    for (let rest = whole; rest >= 10; rest = Math.floor(rest / 10)) end += 1
    this.#digits(whole, this.#length, end)
    const fraction = parts - whole * inOne
    if (fraction !== 0) {
      this.#bytes[end] = POINT
      this.#digits(fraction, end + 1, end + 1 + digits)
      end += 1 + digits
      while (this.#bytes[end - 1] === ZERO) end -= 1
    }
    this.#length = end
  }

  #digits(number: number, start: number, end: number): void {
    let rest = number
    for (let at = end - 1; at >= start; at -= 1) {
      const tenth = Math.floor(rest / 10)
      this.#bytes[at] = ZERO + rest - 10 * tenth
      rest = tenth
    }
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
