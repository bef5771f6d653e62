import { getChallenge, getToken } from '@windlass/contracts/wallet/sep10.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { exchangeChallenge, issueChallenge } from './challenges.ts'

export function serveSep10(on: On, deps: Deps): void {
  on(getChallenge).serve(async ({ query, request }) => {
    await deps.challenges.demand(request.clientAddress)
    return {
      transaction: await issueChallenge(deps, query),
      network_passphrase: deps.config.anchor.network.passphrase,
    }
  })
  on(getToken).serve(async ({ body, request }) => {
    // Each reads an account from the ledger, whose requests all anchors of the machine share.
    await deps.logins.demand(request.clientAddress)
    return { token: await exchangeChallenge(deps, body.transaction) }
  })
}
