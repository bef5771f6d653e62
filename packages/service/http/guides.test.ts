import { expect, it } from 'vitest'
import { createLogger } from '../observe/logger.ts'
import { guideNames, publishGuides } from './guides.ts'
import { createServer } from './server.ts'

it('lists the guides for programs, which get each as Markdown', async () => {
  const { app } = await createServer({ name: 'test', logger: createLogger('test', 'silent') })
  publishGuides(app, text => text.replaceAll('Windlass', 'Ours'))
  const list = await app.inject('/llms.txt')
  expect(list.headers['content-type']).toMatch(/^text\/plain/)
  const links = [...list.body.matchAll(/\]\((docs\/guides\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
  expect(links.length).toBe(guideNames.length)
  for (const path of links) {
    const guide = await app.inject(`/${path}`)
    expect([guide.statusCode, guide.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(guide.body).toMatch(/^# /)
  }
  expect((await app.inject('/docs/guides/secrets.md')).statusCode).toBe(404)
  expect((await app.inject(`/docs/guides/${guideNames[0]}`)).headers['content-type']).toMatch(/^text\/html/)
  const index = await app.inject('/docs/guides/')
  for (const name of guideNames) expect(index.body).toContain(`href="${name}"`)
  const guide = await app.inject(`/docs/guides/${guideNames[0]}`)
  expect(guide.body).toContain('<a href="./">All guides</a>')
  expect((await app.inject('/docs/guides')).headers.location).toBe('guides/')
  await app.close()
})

it('shows a guide as its examples are now', async () => {
  const { app } = await createServer({ name: 'test', logger: createLogger('test', 'silent') })
  let name = 'Ours'
  publishGuides(app, text => `${text}\n${name}\n`)
  const address = `/docs/guides/${guideNames[0]}`
  const first = await app.inject(address)
  expect((await app.inject(address)).headers.etag).toBe(first.headers.etag)
  name = 'Another'
  expect((await app.inject(address)).headers.etag).not.toBe(first.headers.etag)
  await app.close()
})
