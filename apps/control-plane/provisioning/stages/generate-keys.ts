import { generateKey } from '@windlass/stellar/keys.ts'
import type { SecretRole } from '../../anchors/vault.ts'
import type { ProvisioningStage } from '../stage.ts'

const ACCOUNTS: readonly SecretRole[] = ['issuer', 'distribution', 'signing']

/** Three key pairs. Another run finds those of the first. */
export const generateKeys: ProvisioningStage = {
  name: 'Generating Stellar keys',
  key: 'keys',
  retries: { attempts: 5, backoff: 1, maxBackoff: 10, budget: 60 },
  run: async ({ fenced, vault, log }) => {
    const keys = await fenced(tx =>
      Promise.all(ACCOUNTS.map(async role => [role, await vault.ensure(tx, role, generateKey)] as const)),
    )
    const names = keys.map(([role, key]) => `${role} ${key.publicKey}`)
    await log('info', `Key pairs are sealed: ${names.join(', ')}.`)
  },
}
