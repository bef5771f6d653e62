import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 32
const CHECK_CHARACTERS = 6
const SHAPE = /^wl_(test|live)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** `wl_test_` (`wl_live_` on the public network), 190 random bits and a checksum that catches typing mistakes. */
export function newApiKey(mainnet: boolean): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(62)]).join('')
  return `wl_${mainnet ? 'live' : 'test'}_${random}${checksum(random)}`
}

/** Whether the text has the form and checksum of a key. */
export function isApiKey(text: string): boolean {
  const [, , random = '', check = ''] = SHAPE.exec(text) ?? []
  return random !== '' && check === checksum(random)
}

function checksum(random: string): string {
  let value = crc32(random)
  let text = ''
  for (let i = 0; i < CHECK_CHARACTERS; i++) {
    text = `${ALPHABET[value % 62]}${text}`
    value = Math.floor(value / 62)
  }
  return text
}

/** The part of a key that is shown later. */
export const prefixOf = (key: string): string => key.slice(0, 12)
