import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SecretsStore, createSecretsStore } from './secrets-store.ts'

/*
 * AWS Secrets Manager's protocol (awsJson1.1) as far as the platform uses it. Whether our own store speaks it is held
 * by that store's tests, with the same SDK.
 */
const kept = new Map<string, string>()
const asked: { target: string; signed: boolean }[] = []
let failing = false

const server = createServer(async (request, response) => {
  const target = String(request.headers['x-amz-target']).replace('secretsmanager.', '')
  asked.push({
    target,
    signed: /^AWS4-HMAC-SHA256 Credential=test\//.test(request.headers.authorization ?? ''),
  })
  const input = JSON.parse(await textOf(request)) as Record<string, string>
  const { status, body } = failing ? { status: 500, body: {} } : act(target, input)
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
})

function act(target: string, input: Record<string, string>): { status: number; body: object } {
  const name = input.Name ?? input.SecretId ?? ''
  if (target === 'CreateSecret') {
    if (kept.has(name)) return { status: 400, body: { __type: 'ResourceExistsException' } }
    kept.set(name, input.SecretString ?? '')
  } else if (!kept.has(name)) return { status: 400, body: { __type: 'ResourceNotFoundException' } }
  if (target === 'PutSecretValue') kept.set(name, input.SecretString ?? '')
  if (target === 'DeleteSecret') kept.delete(name)
  return { status: 200, body: { Name: name } }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

let store: SecretsStore
beforeAll(async () => {
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  store = createSecretsStore({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
  })
})
afterAll(() => {
  store.close()
  server.close()
})
beforeEach(() => {
  kept.clear()
  asked.length = 0
  failing = false
})

it('puts a secret under its name, signed with the credentials it was given', async () => {
  await store.put('windlass/a', '{"key":1}')
  expect([...kept]).toEqual([['windlass/a', '{"key":1}']])
  expect(asked).toEqual([{ target: 'CreateSecret', signed: true }])
})

it('puts it again where an earlier attempt had arrived', async () => {
  await store.put('windlass/a', 'first')
  await store.put('windlass/a', 'second')
  expect(kept.get('windlass/a')).toBe('second')
})

it('removes a secret, and does not mind that there is none', async () => {
  await store.put('windlass/a', 'x')
  await store.remove('windlass/a')
  await store.remove('windlass/a')
  expect(kept.size).toBe(0)
})

it('throws where the store fails, for both', async () => {
  failing = true
  await expect(store.put('windlass/a', 'x')).rejects.toThrow()
  await expect(store.remove('windlass/a')).rejects.toThrow()
})
