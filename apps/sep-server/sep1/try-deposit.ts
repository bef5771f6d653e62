import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { anchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import type { FastifyInstance } from 'fastify'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'

const ENTRY = 'page.js'
/** Bundled from packages/ramp/try-deposit; not there in a server that runs from sources. */
const SCRIPTS = fileURLToPath(new URL('./try-deposit/', import.meta.url))

/** What an anchor's public page needs to offer a deposit for a test account that the browser makes. */
export interface TryDeposit {
  script: string
  /** Origins that the page may reach beside its own. */
  origins: string[]
  /** For the element that the script fills; see packages/ramp/try-deposit. */
  anchor: string
}

/** Serves the scripts. Null where a deposit cannot be tried: on the public network, or where browsers reach no faucet. */
export function serveTryDeposit(
  app: FastifyInstance,
  anchor: AnchorConfig,
  folder = SCRIPTS,
): TryDeposit | null {
  const { plan, accounts, network, publicUrl } = anchor
  const { browsers } = network
  if (!browsers || network.passphrase === PUBLIC_NETWORK || !existsSync(`${folder}${ENTRY}`)) return null
  const urls = [browsers.horizonUrl, browsers.friendbotUrl].map(each => new URL(each))
  // A page over https reaches nothing over http.
  if (publicUrl.startsWith('https:') && urls.some(({ protocol }) => protocol !== 'https:')) return null
  for (const name of readdirSync(folder)) {
    app.get(`/try-deposit/${name}`, async (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', name === ENTRY ? 'no-cache' : 'public, max-age=31536000, immutable')
        .send(await readFile(`${folder}${name}`)),
    )
  }
  const { webAuth, transferServer, transferServerSep24, kycServer, quoteServer } = anchorEndpoints(publicUrl)
  return {
    script: `/try-deposit/${ENTRY}`,
    origins: [...new Set(urls.map(({ origin }) => origin))],
    anchor: JSON.stringify({
      address: {
        anchorId: plan.anchorId,
        homeDomain: plan.homeDomain,
        signingKey: accounts.signing,
        networkPassphrase: network.passphrase,
        endpoints: { webAuth, transferServer, transferServerSep24, kycServer, quoteServer },
      },
      asset: { code: plan.asset.code, issuer: accounts.issuer },
      network: browsers,
    }),
  }
}
