import anyAscii from 'any-ascii'
import type { PDFFont } from '@cantoo/pdf-lib'

export const PAGE_WIDTH = 595
const PAGE_HEIGHT = 842

interface Piece {
  text: string
  x: number
  size: number
  font: PDFFont
}

/** Pages of a PDF (A4) that are filled from top to bottom. */
interface PdfPages {
  regular: PDFFont
  bold: PDFFont
  /** Draws one line and goes down, to a new page where this one is full. */
  line(this: void, pieces: readonly Piece[], height: number): void
  skip(this: void, height: number): void
  save(this: void): Promise<Buffer>
}

interface Document {
  title: string
  at: Date
  face: 'Courier' | 'Helvetica'
  margin: number
}

export async function pdfPages({ title, at, face, margin }: Document): Promise<PdfPages> {
  // Loaded with the first file.
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  document.setTitle(title)
  document.setCreationDate(at)
  document.setModificationDate(at)
  const begin = () => document.addPage([PAGE_WIDTH, PAGE_HEIGHT])
  let page = begin()
  let y = PAGE_HEIGHT - margin
  return {
    regular: await document.embedFont(StandardFonts[face]),
    bold: await document.embedFont(StandardFonts[`${face}Bold`]),
    line(pieces, height) {
      if (y < margin) {
        page = begin()
        y = PAGE_HEIGHT - margin
      }
      for (const { text, ...place } of pieces) page.drawText(text, { ...place, y })
      y -= height
    },
    skip(height) {
      y -= height
    },
    save: async () => Buffer.from(await document.save()),
  }
}

/** The fonts of every PDF reader have Western characters only: others are written in Latin letters. */
export const westernText = (text: string): string =>
  [...text.normalize('NFC')]
    .map(letter => (/[\x20-\x7E\u00A1-\u00FF]/.test(letter) ? letter : anyAscii(letter)))
    .join('')
