import { createServerSigner } from '@windlass/client/signer.ts'
import { optional, required } from '@windlass/service/process/env.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { seedSigner } from '@windlass/stellar/keys.ts'
import { TEST_NETWORK } from '@windlass/stellar/network.ts'
import { rescue } from './rescue.ts'

// Moves an anchor's money when its distribution account can send no transaction (docs/guides/incidents.md).
const { env } = process
const [from, destination, asset, amount, memo] = process.argv.slice(2)
if (!from || !destination || !asset || !amount) {
  console.error('Usage: node apps/signer/rescue/main.ts FROM TO XLM|CODE:ISSUER AMOUNT [MEMO]')
  process.exit(2)
}
const ledger = {
  url: required(env, 'HORIZON_URL'),
  passphrase: optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK,
}
const { outcome, hash, ...more } = await rescue({
  horizon: createHorizon(ledger),
  networkPassphrase: ledger.passphrase,
  owner: createServerSigner(required(env, 'SIGNER_URL'), required(env, 'SIGNER_CREDENTIAL')).payments(from),
  helper: seedSigner(required(env, 'HELPER_SEED')),
  ...{ destination, asset, amount },
  ...(memo === undefined ? {} : { memo }),
})
console.log(`${outcome}: transaction ${hash}`)
for (const detail of Object.values(more)) console.error(String(detail))
process.exitCode = outcome === 'applied' ? 0 : 1
