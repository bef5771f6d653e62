import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const file = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Style and script are put into the page, so that it is one answer; the policy admits exactly them. */
const style = `\n${file('./style.css')}`
const script = ['./elements.js', './views.js', './show.js'].map(name => `\n${file(name)}`).join('')

/** The page for people, with its headers. */
export const explorerPage = {
  html: file('./page.html')
    .replace(/(?<=<style>)[^<]*(?=<\/style>)/, () => style)
    .replace(/(?<=<script>)[^<]*(?=<\/script>)/, () => script),
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "connect-src 'self'",
      'img-src data:',
      `style-src ${hashOf(style)}`,
      `script-src ${hashOf(script)}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
} as const
