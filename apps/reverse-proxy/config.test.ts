import { ConfigError } from '@windlass/service/process/env.ts'
import { describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'

const env = { WINDLASS_HOME: '/home/w', SERVICE_SECRET: 's'.repeat(32), PROXY_SECRET: 'p'.repeat(32) }

describe('the reverse proxy', () => {
  it('listens on 80, its dashboard on 8090, of this machine by default', () => {
    expect(loadConfig(env)).toMatchObject({
      port: 80,
      dashboardPort: 8090,
      bindHost: 'localhost',
      routesFile: '/home/w/proxy/routes.json',
      trustedProxies: [],
    })
  })

  it('reads the platform’s hosts', () => {
    const PROXY_HOSTS = 'api.localhost=http://127.0.0.1:4000, console.localhost=http://console:4001/'
    expect([...loadConfig({ ...env, PROXY_HOSTS }).staticHosts]).toEqual([
      ['api.localhost', 'http://127.0.0.1:4000'],
      ['console.localhost', 'http://console:4001/'],
    ])
  })

  it('has other copies where its name may lead to several', () => {
    expect(loadConfig(env).copiesAt).toBeUndefined()
    const PROXY_ADMIN_URL = 'http://reverse-proxy:8090'
    expect(loadConfig({ ...env, PROXY_ADMIN_URL }).copiesAt).toBe(PROXY_ADMIN_URL)
  })

  it.each([
    ['PROXY_HOSTS', 'api.localhost'],
    ['PROXY_HOSTS', 'api.localhost=ftp://127.0.0.1'],
    ['PROXY_HOSTS', 'API:80=http://127.0.0.1'],
    ['PROXY_HOSTS', 'api.localhost=http://user:password@127.0.0.1'],
    ['CLIENT_CERTIFICATE_HEADER', 'authorization'],
    ['SERVICE_SECRET', 'short'],
    ['PROXY_SECRET', undefined],
    ['WINDLASS_HOME', undefined],
    ['PROXY_PORT', '80a'],
  ])('does not start with %s being %s, and says so', (name, value) => {
    const wrong = () => loadConfig({ ...env, [name]: value })
    expect(wrong).toThrow(ConfigError)
    expect(wrong).toThrow(name)
  })
})
