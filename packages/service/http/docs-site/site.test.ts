import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../observe/logger.ts'
import { createServer } from '../server.ts'
import { listSite } from './pages.ts'
import { publishSite } from './serve-site.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)

async function serveSite() {
  const server = await createServer({ name: 'test', logger: createLogger('test', 'silent') })
  publishSite(server.app)
  return server
}

describe('the documentation site', () => {
  it('has no link that leads nowhere, and no heading that a link misses', async () => {
    const made = new Map<string, string>()
    for (const { path, make } of listSite()) made.set(path, await make())
    expect(made.size).toBeGreaterThan(400)
    const missing: string[] = []
    for (const [path, text] of made) {
      if (!path.endsWith('.html')) continue
      for (const [, address = ''] of text.matchAll(/ (?:href|src)="((?!https?:)[^"]+)"/g)) {
        const [file = '', anchor] = address.split('#')
        const target = file === '' ? path : posix.join(posix.dirname(path), file)
        const found = made.get(target)
        const hasAnchor = anchor === undefined || found?.includes(` id="${anchor}"`)
        if (found === undefined || !hasAnchor) missing.push(`${path}: ${address}`)
      }
    }
    expect(missing).toEqual([])
    const listed = [...(made.get('llms.txt') ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
    expect(listed.length).toBeGreaterThan(200)
    expect(listed.filter(path => !made.has(path))).toEqual([])
    const index = JSON.parse(made.get('search.json') ?? '') as [page: string, anchor: string][]
    const lost = index.filter(([page, anchor]) => anchor && !made.get(page)?.includes(` id="${anchor}"`))
    expect(lost).toEqual([])
  })

  it('has no list of proofs: beside its folders only what people outside read', () => {
    const texts = listSite().filter(({ path }) => /^[\w-]+\.md$/.test(path))
    expect(texts.map(({ path }) => path)).toEqual(['specification.md', 'scale.md'])
    expect(listSite().filter(({ path }) => path.includes('screens'))).toEqual([])
  })

  it('is made of texts whose links lead to files', () => {
    const broken = listSite()
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, make }) =>
        [...(make() as string).matchAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)[^)\s]*\)/g)]
          .map(([, target = '']) => target)
          .filter(target => !existsSync(new URL(posix.join(posix.dirname(path), target), DOCS)))
          .map(target => `${path}: ${target}`),
      )
    expect(broken).toEqual([])
  })

  it('shows lists in lists and code in lists as such', async () => {
    const page = listSite().find(({ path }) => path === 'guides/administrators.html')
    expect(await page?.make()).toMatch(/<ul><li><em>Viewer<\/em>/)
    const backup = listSite().find(({ path }) => path === 'guides/backup.html')
    expect(await backup?.make()).not.toContain('```')
  })

  it('is served below /docs/site/, beside the reference, and gives no other file', async () => {
    const server = await serveSite()
    const at = (url: string) => server.app.inject(url)
    for (const url of ['/docs/site', '/docs/site/'])
      expect((await at(url)).headers.location).toBe('/docs/site/index.html')
    const index = await at('/docs/site/index.html')
    expect([index.statusCode, index.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(index.headers['content-security-policy']).toContain("script-src 'self'")
    expect((await at('/docs/site/guides/founders.md')).body).toMatch(/^# /)
    for (const path of [
      '../../package.json',
      '%2e%2e/%2e%2e/package.json',
      'guides/nothing.html',
      'constructor',
    ])
      expect((await at(`/docs/site/${path}`)).statusCode).toBe(404)
    await server.close()
  })
})
