/** A mail's text in both forms. */
export interface Letter {
  subject: string
  text: string
  html: string
}

export interface LetterParts {
  subject: string
  /** Plain paragraphs; whatever strangers wrote may stand in them. */
  paragraphs: readonly string[]
  /** Shown as a button, and as plain text for readers without. */
  link?: { label: string; url: string }
  /** Shown large, for a code to be typed. */
  code?: string
  footnote?: string
}

/** Sets a letter in plain text and HTML; everything is escaped here, once. */
export function letter(parts: LetterParts): Letter {
  const { subject, paragraphs, link, code, footnote } = parts
  const lines = [...paragraphs, ...(code ? [code] : []), ...(link ? [`${link.label}:\n${link.url}`] : [])]
  return {
    subject: oneLine(subject),
    text: [...lines, ...(footnote ? [footnote] : []), '-- \nWindlass'].join('\n\n') + '\n',
    html: htmlOf(parts),
  }
}

/** What stands in a header holds no line break, so that nothing can be added to a mail from within. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 200)

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, mark => ENTITIES[mark] ?? mark)

function htmlOf({ subject, paragraphs, link, code, footnote }: LetterParts): string {
  const body = [
    ...paragraphs.map(text => `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`),
    ...(code ? [`<p style="font:600 28px/1.2 monospace;letter-spacing:.2em">${escapeHtml(code)}</p>`] : []),
    ...(link
      ? [
          `<p><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#1d4ed8;color:#fff;text-decoration:none">${escapeHtml(link.label)}</a></p>`,
          `<p style="color:#57606a;font-size:13px;word-break:break-all">${escapeHtml(link.url)}</p>`,
        ]
      : []),
    ...(footnote ? [`<p style="color:#57606a;font-size:13px">${escapeHtml(footnote)}</p>`] : []),
  ]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(oneLine(subject))}</title></head><body style="font:15px/1.5 system-ui,sans-serif;color:#1f2328;max-width:560px;margin:0 auto;padding:24px">${body.join('')}<p style="color:#57606a;font-size:13px">Windlass</p></body></html>`
}
