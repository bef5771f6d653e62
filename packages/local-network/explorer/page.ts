import { readFileSync } from 'node:fs'

export const explorerPage = {
  html: readFileSync(new URL('./page.html', import.meta.url), 'utf8'),
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  },
}
