import { StatementError, type Chunks } from './statement.ts'

/** The letters of DOS (code page 850) from 0x80, which banks' old programs write. */
const DOS =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤' +
  'ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** A name that `TextDecoder` knows, or `dos`. */
export type Encoding = string

/** The encoding of a whole file: what it says itself, else UTF-8, else that of Windows or DOS whose letters fit. */
export function encodingOf(bytes: Buffer): Encoding {
  const [, declared] =
    /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200)) ?? []
  if (declared && !/^utf-?8$/i.test(declared) && isKnown(declared)) return declared
  if (isUtf8(bytes)) return 'utf-8'
  const some = bytes.subarray(0, LOOKED_AT)
  return fitOf(decoderOf('dos').decode(some)) > fitOf(decoderOf('windows-1252').decode(some))
    ? 'dos'
    : 'windows-1252'
}

/** How a file begins, as text. */
export const startOf = (bytes: Buffer): string =>
  new TextDecoder(utf16(bytes) ?? 'windows-1252')
    .decode(bytes.subarray(0, 8_192))
    .replace(/^(\uFEFF|ï»¿)/, '')

const LOOKED_AT = 1024 * 1024

/**
 * The text of a file, which may be in UTF-16 if it begins so.
 *
 * @throws {StatementError} where the bytes are not text in the encoding.
 */
export async function* readText(chunks: Chunks, encoding: Encoding): AsyncGenerator<string> {
  let decoder: Pick<TextDecoder, 'decode'> | undefined
  try {
    for await (const chunk of chunks) {
      decoder ??= decoderOf(utf16(chunk) ?? encoding)
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (cause) {
    if (cause instanceof TypeError)
      throw new StatementError(`The file is not text in ${encoding.toUpperCase()}.`)
    throw cause
  }
}

function decoderOf(encoding: Encoding): Pick<TextDecoder, 'decode'> {
  if (encoding !== 'dos') return new TextDecoder(encoding, { fatal: true })
  return {
    decode: (chunk = new Uint8Array()) =>
      Buffer.from(chunk as Uint8Array)
        .toString('latin1')
        .replaceAll(/[\u0080-\u00ff]/g, letter => DOS[letter.charCodeAt(0) - 0x80] ?? ''),
  }
}

function utf16([first, second]: Uint8Array): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== ''
  } catch {
    return false
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * How many letters beyond ASCII stand in words as letters do (small ones behind a letter, capitals beside capitals), less
 * those that do not. Æ of DOS is the apostrophe of Windows.
 */
function fitOf(text: string): number {
  const all = text.match(/[^\P{L}A-Za-zÆæ]/gu) ?? []
  const fit = text.match(/(?<=\p{L})[^\P{Ll}a-zæ](?!\p{Lu})|(?<!\p{Ll})[^\P{Lu}A-ZÆ](?=\p{L}|$)/gmu) ?? []
  return 2 * fit.length - all.length
}
