import { getChallenge } from '@windlass/contracts/sep10.ts'
import type { Clock } from '@windlass/service/clock.ts'
import { rehearse } from '@windlass/service/rehearse.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { buildChallenge, readChallenge } from '@windlass/stellar/sep10-challenge.ts'

/** Answers a wallet's login that nobody asked for, with a key that nobody has: what a wallet that wakes an anchor asks first. */
export async function rehearseLogin(clock: Clock): Promise<void> {
  const signer = signerFromSeed(generateKey().secret)
  const host = 'rehearsal.example'
  const network_passphrase = 'rehearsal'
  const terms = {
    ...{ server: signer.address, networkPassphrase: network_passphrase },
    ...{ homeDomain: host, webAuthDomain: host },
  }
  await rehearse(
    on =>
      on(getChallenge).serve(async ({ query }) => {
        const now = clock.now()
        const transaction = buildChallenge(signer, terms, query, now)
        readChallenge(transaction, terms, now)
        return { transaction, network_passphrase }
      }),
    [`/auth?account=${signer.address}&home_domain=${host}`],
  )
}
