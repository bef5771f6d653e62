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
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Windlass'
  const render = { inline: (text: string) => inline(text, linkOf) }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${render.inline(title)} · Windlass</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main class="document">
${blocksOf(markdown)
  .map(text => block(text, render.inline))
  .join('\n')}
</main>
</body>
</html>
`
}

type Inline = (text: string) => string

/** Paragraphs, headings, lists, tables and whole fences of code. */
const blocksOf = (markdown: string): string[] =>
  markdown
    .split(/^(```\w*\n[\s\S]*?\n```)$/m)
    .flatMap(part => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .map(part => part.trim())
    .filter(part => part !== '')

function block(text: string, toHtml: Inline): string {
  const code = /^```\w*\n([\s\S]*)\n```$/.exec(text)
  if (code) return `<pre tabindex="0"><code>${escapeHtml(code[1] ?? '')}</code></pre>`
  const heading = /^(#{1,4}) (.+)$/.exec(text)
  if (heading) return `<h${heading[1]?.length}>${toHtml(heading[2] ?? '')}</h${heading[1]?.length}>`
  if (text.startsWith('|')) return table(text, toHtml)
  if (/^(- |\d+\. )/.test(text)) return list(text, toHtml)
  return `<p>${toHtml(text)}</p>`
}

/** A list of one level; a line that is indented belongs to the item above. */
function list(text: string, toHtml: Inline): string {
  const name = text.startsWith('-') ? 'ul' : 'ol'
  const items = text.split(/^(?:- |\d+\. )/m).slice(1)
  return `<${name}>${items.map(item => `<li>${toHtml(item.trim())}</li>`).join('')}</${name}>`
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
