import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as client from './anchor-client.ts'

interface Operation {
  'x-required-scopes'?: string[]
}

it('has every operation that a key may call, and no other', () => {
  const { paths } = JSON.parse(
    readFileSync(new URL('../../docs/api/developer.json', import.meta.url), 'utf8'),
  ) as { paths: Record<string, Record<string, Operation>> }
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-required-scopes'])
      .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const exported = Object.values(client).flatMap(value =>
    typeof value === 'object' && 'realm' in value ? [`${value.method} ${value.path}`] : [],
  )
  expect(documented.length).toBeGreaterThan(40)
  expect(exported.toSorted()).toEqual(documented.toSorted())
})

it.each(['http://mumbai.anchors.localhost:8080', 'http://mumbai.invalid', 'http://127.0.0.1:9'])(
  'says what to do where %s does not answer',
  async url => {
    const code = url.includes('127.') ? 'ECONNREFUSED' : 'ENOTFOUND'
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
    }
    const asked = client.connectAnchor({ url, apiKey: 'key', fetch }).call(client.getWorkspace)
    const says = {
      'mumbai.anchors.localhost:8080': 'Add "127.0.0.1 mumbai.anchors.localhost" to /etc/hosts.',
      'mumbai.invalid': 'There is no host mumbai.invalid',
      '127.0.0.1:9': '127.0.0.1:9 does not answer.',
    }[new URL(url).host]!
    await expect(asked).rejects.toThrow(says)
    await expect(asked).rejects.toBeInstanceOf(client.UnreachableError)
  },
)

it('throws the reason of an aborted request as it is', async () => {
  const reason = new Error('no longer needed')
  const fetch = () => globalThis.fetch('http://127.0.0.1:9', { signal: AbortSignal.abort(reason) })
  const { call } = client.connectAnchor({ url: 'http://mumbai.invalid', apiKey: 'key', fetch })
  await expect(call(client.getWorkspace, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
