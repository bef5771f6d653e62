import { ensureAccounts } from '../../anchors/accounts.ts'
import type { ProvisioningStage } from '../stage.ts'

/** Key pairs, which the signer makes and keeps. Another run finds those of the first. */
export const generateKeys: ProvisioningStage = {
  name: 'Generating Stellar keys',
  key: 'keys',
  retries: { attempts: 5, backoff: 1, maxBackoff: 10, budget: 60 },
  run: async ({ deps, plan, vault, log }) => {
    const accounts = await ensureAccounts(deps, plan, vault)
    const names = Object.entries(accounts)
      .filter(([, address]) => address !== plan.asset.issuer)
      .map(([role, address]) => `${role} ${address}`)
    await log('info', `The signer keeps the key pairs: ${names.join(', ')}.`)
  },
}
