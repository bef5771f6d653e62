import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import type { Variables } from './base-env.ts'
import { table } from './progress.ts'

/** Addresses as a table; `withPassword` on a local stack, right after its start. */
export function overview(variables: Variables, local: boolean, withPassword: boolean): string {
  const publicPort = variables.ANCHOR_PUBLIC_PORT || variables.PROXY_PORT
  const port = publicPort === '80' || publicPort === '443' ? '' : `:${publicPort}`
  const scheme = publicPort === '443' ? 'https' : 'http'
  const at = (name: string, path = '') => `${variables[name] ?? ''}${path}`
  const rows: [string, string][] = [
    ['Founder console', at('FOUNDER_CONSOLE_URL')],
    ['Admin console', at('ADMIN_CONSOLE_URL')],
    ['Customer portal', at('CUSTOMER_PORTAL_URL')],
    ['Platform API', `${at('PLATFORM_URL')}    reference: ${at('PLATFORM_URL', '/docs')}`],
    ['Aggregator', `${at('AGGREGATOR_URL')}    reference: ${at('AGGREGATOR_URL', '/docs')}`],
    ['Control plane', at('CONTROL_PLANE_URL')],
    ['Anchors', `${scheme}://<subdomain>.${variables.ANCHOR_DOMAIN_SUFFIX}${port}`],
    ['Proxy dashboard', at('PROXY_ADMIN_URL')],
    ['Mail', local ? at('MAIL_CATCHER_URL') : 'sent through SMTP_URL'],
    ['Stellar network', `${at('HORIZON_URL')}    shared through ${at('LEDGER_GATEWAY_URL')}`],
    ['Secrets store', at('SECRETS_ENDPOINT')],
    ['Signer', at('SIGNER_URL')],
    [
      'Postgres',
      `${LOOPBACK_HOST}:${variables.POSTGRES_PORT ?? '5432'}    superuser password: POSTGRES_PASSWORD in base.env`,
    ],
  ]
  const password = withPassword ? variables.ADMIN_PASSWORD : 'ADMIN_PASSWORD in base.env'
  const credentials: [string, string][] = local
    ? [['Administrator', `${variables.ADMIN_USERNAME}    password: ${password}`]]
    : []
  return `${table([...rows, ...credentials])}`
}
