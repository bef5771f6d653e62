import { pdfPages, westernText } from '../../pdf-pages.ts'

const [MARGIN, LINE, SIZE] = [48, 12, 8]
const LETTERS = 100

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
  const pages = await pdfPages({ title, at, face: 'Courier', margin: MARGIN })
  const write = (text: string, strong = false) =>
    pages.line([{ text, x: MARGIN, size: SIZE, font: strong ? pages.bold : pages.regular }], LINE)
  write(westernText(title), true)
  const parts = [...Object.entries(content), ['verification', proof] as const]
  for (const [name, value] of parts) {
    pages.skip(LINE / 2)
    for (const line of linesOf(name, value, 0))
      for (const each of wrapped(westernText(line))) write(each, line === name)
  }
  return pages.save()
}
