import { getContractChallenge, getContractToken } from '@windlass/contracts/wallet/sep45.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { exchangeContractChallenge, issueContractChallenge } from './challenges.ts'

export function serveSep45(on: On, deps: Deps): void {
  on(getContractChallenge).serve(async ({ query, request }) => {
    await deps.challenges.demand(request.clientAddress)
    return {
      authorization_entries: await issueContractChallenge(deps, query),
      network_passphrase: deps.config.anchor.network.passphrase,
    }
  })
  on(getContractToken).serve(async ({ body, request }) => {
    await deps.logins.demand(request.clientAddress)
    return { token: await exchangeContractChallenge(deps, body.authorization_entries) }
  })
}
