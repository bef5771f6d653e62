import { escapeHtml } from './html.ts'

/**
 * A text of the documentation as a page. Texts use headings, paragraphs, lists, tables, fences, and code, bold, italic and
 * links in a line. A link to a file of the repository becomes its text, except where `linkOf` knows its address.
 */
export function markdownPage(
  markdown: string,
  style: string,
  linkOf: (file: string) => string | null = () => null,
): string {
  const title = titleOf(markdown)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${inline(title, linkOf)} · Windlass</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main class="document">
${markdownBody(markdown, linkOf)}
</main>
</body>
</html>
`
}

/** What stands in `<main>`. */
export function markdownBody(markdown: string, linkOf: (file: string) => string | null): string {
  return renderBlocks(markdown, text => inline(text, linkOf))
}

export const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? 'Windlass'

/** The address of a heading within its page, as GitHub gives it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

type Inline = (text: string) => string

const renderBlocks = (markdown: string, toHtml: Inline): string =>
  blocksOf(markdown)
    .map(text => block(text, toHtml))
    .join('\n')

const ITEM = /^(- |\d+\. )/
const kindOf = (part: string): string | undefined => ITEM.exec(part)?.[0].replace(/\d+/, '1')

/** Paragraphs, headings, lists, tables and whole fences of code. What is indented belongs to the list above it. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = []
  const parts = markdown
    .split(/^(```\w*\n[\s\S]*?\n```)$/m)
    .flatMap(part => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .map(part => part.replace(/^\n+|\s+$/g, ''))
    .filter(part => part.trim() !== '')
  for (const part of parts) {
    const above = blocks.at(-1)
    const kind = above === undefined ? undefined : kindOf(above)
    const continues = kind !== undefined && (/^ {2,}/.test(part) || kindOf(part) === kind)
    if (continues) blocks.push(`${blocks.pop()}\n\n${part}`)
    else blocks.push(part.trim())
  }
  return blocks
}

function block(text: string, toHtml: Inline): string {
  const code = /^```\w*\n([\s\S]*)\n```$/.exec(text)
  if (code) return `<pre tabindex="0"><code>${escapeHtml(code[1] ?? '')}</code></pre>`
  const [, marks = '', heading = ''] = /^(#{1,4}) (.+)$/.exec(text) ?? []
  if (heading) return `<h${marks.length} id="${slugOf(heading)}">${toHtml(heading)}</h${marks.length}>`
  if (text.startsWith('|')) return table(text, toHtml)
  if (ITEM.test(text)) return list(text, toHtml)
  return `<p>${toHtml(text)}</p>`
}

function list(text: string, toHtml: Inline): string {
  const name = text.startsWith('-') ? 'ul' : 'ol'
  const items = text.split(/^(?:- |\d+\. )/m).slice(1)
  return `<${name}>${items.map(each => `<li>${item(each, toHtml)}</li>`).join('')}</${name}>`
}

/** A line that is indented belongs to the item: its text, a list or code. */
function item(text: string, toHtml: Inline): string {
  const [, head = '', rest = ''] =
    /^([\s\S]*?)(?:\n\n|\n(?=- |\d+\. |```))([\s\S]*)$/.exec(text.replace(/^ {2,3}/gm, '').trim()) ?? []
  return head === '' ? toHtml(text.trim()) : toHtml(head) + renderBlocks(rest, toHtml)
}

function table(text: string, toHtml: Inline): string {
  const [head = [], , ...rows] = text.split('\n').map(cellsOf)
  const row = (cells: readonly string[], name: string) =>
    `<tr>${cells.map(cell => `<${name}>${toHtml(cell)}</${name}>`).join('')}</tr>`
  return `<div class="wide" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows
    .map(cells => row(cells, 'td'))
    .join('')}</tbody></table></div>`
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'))

/** Code is set aside first: what looks like a mark in it is none. */
function inline(text: string, linkOf: (file: string) => string | null): string {
  const codes: string[] = []
  const rest = text.replace(/`([^`]+)`/g, (_, code: string) => `\0${codes.push(code) - 1}\0`)
  return marked(escapeHtml(rest), linkOf).replace(
    /\0(\d+)\0/g,
    (_, index: string) => `<code>${escapeHtml(codes[Number(index)] ?? '')}</code>`,
  )
}

const marked = (text: string, linkOf: (file: string) => string | null): string =>
  text
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '<em>$1</em>')
    .replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, name: string, file: string) => {
      const address = linkOf(file)
      return address === null ? name : `<a href="${address}">${name}</a>`
    })
