import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { fundFromAccount, issueAsset, LEDGER_HOME_DOMAIN_BYTES } from '@windlass/stellar/issuing.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import type { SecretRole } from '../../anchors/vault.ts'
import { envelopeStore } from '../envelopes.ts'
import type { ProvisioningStage, StageContext } from '../stage.ts'

// Reserves of an account with a trustline and a data entry are 2 XLM; the rest pays fees for thousands of transactions.
const STARTING_BALANCE = '5'

/** Three accounts on the ledger, the trustline, the issue and the home domain. */
export const fundAndIssue: ProvisioningStage = {
  name: 'Funding accounts & issuing asset on Stellar',
  key: 'funding',
  // The job is failed within a minute (docs/adr/0022).
  retries: { attempts: 20, backoff: 1, maxBackoff: 6, budget: 50 },
  run: async context => {
    const issuer = await accountKey(context, 'issuer')
    const distribution = await accountKey(context, 'distribution')
    const signing = await accountKey(context, 'signing')
    await fund(context, [issuer.publicKey, distribution.publicKey, signing.publicKey])
    context.at('funded')
    await issue(context, issuer, distribution)
  },
}

async function accountKey({ deps, vault }: StageContext, role: SecretRole): Promise<AccountKey> {
  const { secret, publicKey } = await vault.get(deps.database.db, role)
  if (publicKey === null) throw new Error(`the ${role} key has no public half`)
  return { secret, publicKey }
}

async function fund(context: StageContext, accounts: string[]): Promise<void> {
  const { deps, log, plan } = context
  const { funding, networkPassphrase, maxFee } = deps.config.ledger
  const { horizon } = deps
  if (funding.kind === 'friendbot') {
    const outcomes = await Promise.all(accounts.map(each => fundFromFaucet(funding.url, horizon, each)))
    const fresh = outcomes.filter(outcome => outcome === 'funded').length
    await log('info', `Accounts are funded (${fresh} by the faucet now, ${outcomes.length - fresh} before).`)
    return
  }
  const store = envelopeStore(context, 'fund')
  const reference = plan.anchorId
  const common = { horizon, networkPassphrase, maxFee, store, reference }
  await fundFromAccount({ ...common, payer: funding.seed, accounts, startingBalance: STARTING_BALANCE })
  await log('info', 'Accounts are funded by the funding account.')
}

async function issue(context: StageContext, issuer: AccountKey, distribution: AccountKey): Promise<void> {
  const { deps, log, plan } = context
  const outcome = await issueAsset({
    horizon: deps.horizon,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    maxFee: deps.config.ledger.maxFee,
    store: envelopeStore(context, 'issue'),
    issuer,
    distribution,
    assetCode: plan.asset.code,
    amount: plan.asset.issued,
    homeDomain: plan.homeDomain,
    reference: plan.anchorId,
  })
  const when = outcome === 'applied' ? '' : ' (found on the ledger)'
  await log('info', `${plan.asset.issued} ${plan.asset.code} are issued to the distribution account${when}.`)
  if (Buffer.byteLength(plan.homeDomain) > LEDGER_HOME_DOMAIN_BYTES) {
    await log('warn', `The home domain ${plan.homeDomain} is too long for the ledger and is not set there.`)
  }
}
