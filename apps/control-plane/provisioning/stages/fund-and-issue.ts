import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { fundFromAccount } from '@windlass/stellar/funding.ts'
import { fitsLedger, issueAsset, trustAsset } from '@windlass/stellar/issuing.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { NATIVE, servesXlm } from '@windlass/contracts/internal/served-assets.ts'
import type { AnchorAccounts } from '@windlass/contracts/internal/signer.ts'
import {
  authorizeServers,
  ensureAccounts,
  findIssuer,
  findPayer,
  ownAccounts,
} from '../../anchors/accounts.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { StageFailure } from '../../stage-failure.ts'
import { envelopeStore } from '../envelopes.ts'
import type { ProvisioningStage, StageContext } from '../stage.ts'
import { createDatabaseEarly } from './set-up-databases.ts'

// Reserves of an account with a trustline and a data entry are 2 XLM; the rest pays fees for thousands of transactions.
const STARTING_BALANCE = parseAmount('5')
/** The reserve of each further trustline. */
const TRUSTLINE_RESERVE = parseAmount('0.5')

/** The anchor's accounts on the ledger, the trustlines, the issue unless the asset exists, and the home domain. */
export const fundAndIssue: ProvisioningStage = {
  name: 'Funding accounts & issuing asset on Stellar',
  key: 'funding',
  // The job is failed within a minute (docs/adr/0022).
  retries: { attempts: 20, backoff: 1, maxBackoff: 6, budget: 50 },
  run: async context => {
    const { deps, plan, vault } = context
    const accounts = await ensureAccounts(deps, plan, vault)
    await authorizeServers(deps, plan, vault)
    for (const asset of existingAssets(plan)) await requireIssuer(context, asset)
    await fund(context, ownAccounts(plan, accounts))
    context.at('funded')
    createDatabaseEarly(context)
    if (plan.asset.issuer) await trust(context, accounts)
    else await issue(context, accounts)
    for (const { code } of [...(servesXlm({ plan }) ? [plan.asset] : []), ...existingAssets(plan)])
      await context.log(
        'info',
        `The distribution account can hold ${code}. It has none: send it ${code} once the anchor runs.`,
      )
    if (!fitsLedger(plan.homeDomain))
      await context.log(
        'warn',
        `The home domain ${plan.homeDomain} is too long for the ledger and is not set there.`,
      )
  },
}

interface ExistingAsset {
  code: string
  issuer: string
}

/** The assets of the plan that others issue. Nobody issues XLM. */
function existingAssets({ asset, furtherAssets = [] }: AnchorPlan): ExistingAsset[] {
  const { code, issuer } = asset
  return [...(issuer && issuer !== NATIVE ? [{ code, issuer }] : []), ...furtherAssets]
}

async function fund(context: StageContext, accounts: string[]): Promise<void> {
  const { deps, log, plan } = context
  const { friendbotUrl, networkPassphrase, maxFee } = deps.config.ledger
  const { horizon } = deps
  const payer = await findPayer(deps, plan.anchorId)
  if (!payer) {
    if (!friendbotUrl)
      throw new StageFailure('funding-account-empty', 'There is no account that funds new accounts.')
    const outcomes = await Promise.all(accounts.map(each => fundFromFaucet(friendbotUrl, horizon, each)))
    const fresh = outcomes.filter(outcome => outcome === 'funded').length
    await log('info', `Accounts are funded (${fresh} by the faucet now, ${outcomes.length - fresh} before).`)
    return
  }
  const trustlines = TRUSTLINE_RESERVE * BigInt(plan.furtherAssets?.length ?? 0)
  const store = envelopeStore(context, 'fund')
  const reference = plan.anchorId
  const common = { horizon, networkPassphrase, maxFee, store, reference }
  await fundFromAccount({
    ...common,
    payer,
    accounts,
    startingBalance: formatAmount(amountOf(STARTING_BALANCE + trustlines)),
  })
  await log('info', 'Accounts are funded by the funding account.')
}

async function issue(context: StageContext, accounts: AnchorAccounts): Promise<void> {
  const { deps, log, plan } = context
  const outcome = await issueAsset({
    horizon: deps.horizon,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    maxFee: deps.config.ledger.maxFee,
    store: envelopeStore(context, 'issue'),
    issuer: findIssuer(deps, plan.anchorId, accounts.issuer),
    distribution: findIssuer(deps, plan.anchorId, accounts.distribution),
    assetCode: plan.asset.code,
    amount: plan.asset.issued,
    further: existingAssets(plan),
    homeDomain: plan.homeDomain,
    reference: plan.anchorId,
  })
  const when = outcome === 'applied' ? '' : ' (found on the ledger)'
  await log('info', `${plan.asset.issued} ${plan.asset.code} are issued to the distribution account${when}.`)
}

/** The founder reads what the issuer may do before anything is opened. */
async function requireIssuer({ deps, log }: StageContext, { code, issuer }: ExistingAsset): Promise<void> {
  const account = await deps.horizon.account(issuer)
  if (!account) {
    throw new StageFailure(
      'asset-not-found',
      `The account ${issuer}, which should issue ${code}, is not on this network. Apply again with the issuer of this network.`,
    )
  }
  const { authRequired, authRevocable, clawback } = account.issuing
  if (authRequired)
    await log(
      'warn',
      `The issuer of ${code} authorizes each account that holds it. Ask it to authorize the distribution account.`,
    )
  if (authRevocable)
    await log('warn', `The issuer of ${code} can freeze what the distribution account holds.`)
  if (clawback) await log('warn', `The issuer of ${code} can take back what the distribution account holds.`)
}

async function trust(context: StageContext, accounts: AnchorAccounts): Promise<void> {
  const { deps, log, plan } = context
  const outcome = await trustAsset({
    horizon: deps.horizon,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    maxFee: deps.config.ledger.maxFee,
    store: envelopeStore(context, 'trust'),
    distribution: findIssuer(deps, plan.anchorId, accounts.distribution),
    assets: existingAssets(plan),
    homeDomain: plan.homeDomain,
    reference: plan.anchorId,
  })
  const when = outcome === 'applied' ? '' : ' (found on the ledger)'
  const opened =
    existingAssets(plan).length > 0
      ? 'The trustlines of the distribution account are open'
      : 'The distribution account requires memos'
  await log('info', `${opened}${when}.`)
}
