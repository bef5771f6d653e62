import { readContracts } from '@windlass/api-documents/contracts.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { rejectApplication, getApplication } from '@windlass/contracts/platform/applications.ts'
import { browserRealms, sessionCookies, type BrowserRealm } from '@windlass/contracts/realm.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInAdmin, testApp, type TestApp } from '../testing/app.ts'
import { submitted } from '../testing/story.ts'

const ORIGINS: Record<BrowserRealm, string> = {
  operator: 'http://localhost:4001',
  admin: 'http://localhost:4002',
  customer: 'http://localhost:4003',
}
const EVERYONES = 'https://all.example'

let app: TestApp
let writes: Endpoint[]
beforeAll(async () => {
  const ALLOWED_ORIGINS = `admin=https://ops.example, ${EVERYONES}, ${ORIGINS.customer}`
  app = await testApp({ env: { ALLOWED_ORIGINS } })
  const { endpoints } = await readContracts()
  writes = endpoints
    .map(({ endpoint }) => endpoint)
    .filter(({ method, path }) => method !== 'GET' && app.server.routes.includes(`${method} ${path}`))
})
afterAll(() => app.close())

const realmOf = ({ realm, cookies = [] }: Endpoint): BrowserRealm | undefined =>
  browserRealms.find(each => each === realm || cookies.some(name => sessionCookies[name] === each))

/** What a browser does that has a session of each realm: nothing of them counts, so that nothing is changed. */
async function isRefused({ method, path }: Endpoint, origin: string): Promise<boolean> {
  const cookie = Object.keys(sessionCookies).map(name => `${name}=x`)
  const answer = await app.server.app.inject({
    method: method as 'POST',
    url: path.replace(/:\w+/g, 'x'),
    headers: { origin, cookie: cookie.join('; '), 'content-type': 'application/json' },
    payload: '{}',
  })
  return answer.json<{ code?: string }>().code === 'forbidden-origin'
}

it('each write with a session is accepted from the console of its realm alone', async () => {
  const wrong: string[] = []
  for (const endpoint of writes) {
    const own = realmOf(endpoint)
    for (const realm of browserRealms)
      if ((await isRefused(endpoint, ORIGINS[realm])) !== (own !== undefined && own !== realm))
        wrong.push(`${endpoint.method} ${endpoint.path} from ${realm}`)
    if (await isRefused(endpoint, EVERYONES)) wrong.push(`${endpoint.path} from everyone’s`)
    if ((await isRefused(endpoint, 'https://ops.example')) !== (own === 'operator' || own === 'customer'))
      wrong.push(`${endpoint.path} from the administrators’ second address`)
    if (!(await isRefused(endpoint, 'https://evil.example'))) wrong.push(`${endpoint.path} from a stranger`)
  }
  expect(wrong).toEqual([])
  expect(new Set(writes.map(realmOf))).toEqual(new Set([...browserRealms, undefined]))
})

it('a page of the customer portal cannot reject an application with an administrator’s session', async () => {
  const id = await submitted(app)
  const admin = await signInAdmin(app)
  const reject = (origin: string) =>
    admin.call(rejectApplication, { params: { id }, body: {}, headers: { origin } })
  await expect(reject(ORIGINS.customer)).rejects.toMatchObject({
    status: 403,
    problem: { code: 'forbidden-origin' },
  })
  expect(await admin.call(getApplication, { params: { id } })).toMatchObject({ status: 'applied' })
  await reject(ORIGINS.admin)
  expect(await admin.call(getApplication, { params: { id } })).toMatchObject({ status: 'rejected' })
})
