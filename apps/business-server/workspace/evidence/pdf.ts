import anyAscii from 'any-ascii'

const [WIDTH, HEIGHT, MARGIN, LINE, SIZE] = [595, 842, 48, 12, 8]
const LETTERS = 100

/** The fonts of every PDF reader have Western characters only: others are written in Latin letters. */
const latin = (text: string): string =>
  [...text.normalize('NFC')]
    .map(letter => (/[\x20-\x7E\u00A1-\u00FF]/.test(letter) ? letter : anyAscii(letter)))
    .join('')

/** A value as lines, deeper parts further to the right. */
function* linesOf(name: string, value: unknown, depth: number): Generator<string> {
  const indent = '  '.repeat(depth)
  if (typeof value !== 'object' || value === null) {
    yield `${indent}${name}: ${value ?? '-'}`
    return
  }
  yield `${indent}${name}`
  const entries = Array.isArray(value)
    ? value.map((each, index) => [String(index + 1), each] as const)
    : Object.entries(value)
  for (const [key, each] of entries) yield* linesOf(key, each, depth + 1)
}

function* wrapped(line: string): Generator<string> {
  const indent = ' '.repeat(Math.min(line.search(/\S|$/) + 2, LETTERS / 2))
  let rest = line
  while (rest.length > LETTERS) {
    yield rest.slice(0, LETTERS)
    rest = indent + rest.slice(LETTERS)
  }
  yield rest
}

/** An evidence file to print (A4): all of its content, and how it is verified. */
export async function evidencePdf(
  content: object,
  { title, at, proof }: { title: string; at: Date; proof: Readonly<Record<string, string>> },
): Promise<Buffer> {
  // Loaded with the first file.
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Courier)
  const bold = await document.embedFont(StandardFonts.CourierBold)
  document.setTitle(title)
  document.setCreationDate(at)
  document.setModificationDate(at)
  let page = document.addPage([WIDTH, HEIGHT])
  let y = HEIGHT - MARGIN
  const write = (text: string, strong = false) => {
    if (y < MARGIN) {
      page = document.addPage([WIDTH, HEIGHT])
      y = HEIGHT - MARGIN
    }
    page.drawText(text, { x: MARGIN, y, size: SIZE, font: strong ? bold : font })
    y -= LINE
  }
  write(latin(title), true)
  const parts = [...Object.entries(content), ['verification', proof] as const]
  for (const [name, value] of parts) {
    y -= LINE / 2
    for (const line of linesOf(name, value, 0))
      for (const each of wrapped(latin(line))) write(each, line === name)
  }
  return Buffer.from(await document.save())
}
