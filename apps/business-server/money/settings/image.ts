import { crc32 } from 'node:zlib'

interface Image {
  mediaType: 'image/png' | 'image/jpeg'
  width: number
  height: number
  /** The picture alone, without metadata and whatever follows it. */
  bytes: Buffer
}

/** Reads a PNG or JPEG file and leaves out everything that is no picture. Null: it is no such file, or damaged. */
export function readImage(file: Buffer): Image | null {
  try {
    return file.subarray(0, 8).equals(PNG) ? readPng(file) : readJpeg(file)
  } catch (error) {
    // A length that points beyond the file.
    if (error instanceof RangeError) return null
    throw error
  }
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** PNG chunks that change how the picture looks; texts, times and profiles are left out. */
const SHOWN = ['IHDR', 'PLTE', 'tRNS', 'gAMA', 'sRGB', 'IDAT', 'IEND']

function readPng(file: Buffer): Image | null {
  const kept: Buffer[] = [PNG]
  let size: { width: number; height: number } | null = null
  for (let at = PNG.length; at < file.length;) {
    const length = file.readUInt32BE(at)
    const end = at + 12 + length
    if (end > file.length) return null
    const name = file.toString('latin1', at + 4, at + 8)
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return null
    if (size === null) {
      if (name !== 'IHDR' || length !== 13) return null
      size = { width: file.readUInt32BE(at + 8), height: file.readUInt32BE(at + 12) }
    }
    if (SHOWN.includes(name)) kept.push(file.subarray(at, end))
    if (name === 'IEND') return { mediaType: 'image/png', ...size, bytes: Buffer.concat(kept) }
    at = end
  }
  return null
}

const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
/** JFIF and Adobe's, which say how colours are coded. Others (Exif with places, profiles, texts) are left out. */
const KEPT_APPS = [0xe0, 0xee]

function readJpeg(file: Buffer): Image | null {
  if (file.readUInt16BE(0) !== 0xff00 + SOI) return null
  const kept: Buffer[] = [file.subarray(0, 2)]
  let size: { width: number; height: number } | null = null
  for (let at = 2; ;) {
    if (file[at] !== 0xff) return null
    const marker = file.readUInt8(at + 1)
    if (marker === EOI && size) {
      kept.push(file.subarray(at, at + 2))
      return { mediaType: 'image/jpeg', ...size, bytes: Buffer.concat(kept) }
    }
    let end = at + 2 + file.readUInt16BE(at + 2)
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (frame) size = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) }
    if (marker === SOS) end = endOfScan(file, end)
    if (end > file.length) return null
    const dropped = marker === 0xfe || (marker >= 0xe0 && marker <= 0xef && !KEPT_APPS.includes(marker))
    if (!dropped) kept.push(file.subarray(at, end))
    at = end
  }
}

/** Coded data lasts until a marker that is neither a stuffed zero nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = from; ; at++) {
    if (file.readUInt8(at) !== 0xff) continue
    const next = file.readUInt8(at + 1)
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
}
