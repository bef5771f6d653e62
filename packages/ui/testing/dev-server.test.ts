import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const PORTAL = join(import.meta.dirname, '..', '..', '..', 'apps', 'customer-portal')

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Serves the portal's sources; returns the address once it is printed. */
async function serveSources(...address: string[]): Promise<string> {
  const port = await freePort()
  const args = [join(import.meta.dirname, 'dev-server.ts'), PORTAL, String(port), ...address]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill())
  await once(server.stdout, 'data')
  return `http://localhost:${port}`
}

test('without a stack a console is served from its sources, with both languages, and recorded answers', async () => {
  const url = await serveSources()
  const page = await (await fetch(url)).text()
  expect(page).toContain('/@vite/client')
  expect(page).toContain('windlass.customer')
  // Not a request of the API, although it begins like one.
  expect(await (await fetch(`${url}/api.ts`)).text()).toContain('withQueries')
  expect(await (await fetch(`${url}/texts.ts`)).text()).toMatch(/Sign in[\s\S]*Iniciar sesión/)
  const customer = await fetch(`${url}/api/v1/customer/me`)
  expect(await customer.json()).toMatchObject({ email: 'asha@mail.example' })
})

test('requests go to the running console, as of its own origin', async () => {
  const asked: (string | undefined)[] = []
  const platform = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.origin}`)
    response.end('{}')
  }).listen(0, 'localhost')
  await once(platform, 'listening')
  onTestFinished(() => void platform.close())
  const address = `http://localhost:${(platform.address() as AddressInfo).port}`
  const url = await serveSources(address)
  expect(
    (await fetch(`${url}/api/v1/customer/wallets`, { method: 'POST', headers: { origin: url } })).status,
  ).toBe(200)
  expect(asked).toEqual([`POST /api/v1/customer/wallets ${address}`])
})
