import { getChallenge, getToken } from '@windlass/contracts/sep10.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { exchangeChallenge } from './challenges.ts'
import { issueChallenge } from './challenges.ts'

export function serveSep10(on: On, deps: Deps): void {
  on(getChallenge).serve(async ({ query }) => ({
    transaction: await issueChallenge(deps, query),
    network_passphrase: deps.config.anchor.network.passphrase,
  }))
  on(getToken).serve(async ({ body }) => ({ token: await exchangeChallenge(deps, body.transaction) }))
}
