import type { Client } from '@windlass/client/client.ts'
import { idOf } from '@windlass/contracts/internal/served-assets.ts'
import {
  listWorkspaceBalances,
  listWorkspaceIncidents,
} from '@windlass/contracts/platform/workspace-records.ts'
import { readAccount } from '@windlass/stellar/horizon-account.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { balance } from '@windlass/windlass/demo/money.ts'
import { made, type Story } from '@windlass/windlass/demo/story.ts'
import { expect } from 'vitest'

const slowly = { timeout: 120_000, interval: 500 }

/** What the ledger says: units that the anchor and the wallet hold, and payments that the wallet got. */
export async function ledgerOf(story: Story) {
  const { distribution = '', issuer = '', assetCode = '' } = made(story.first.anchor, 'anchor')
  const account = await readAccount(ledgerIn(story.variables), distribution)
  const treasury = account?.balances.find(({ asset }) => asset === idOf({ code: assetCode, issuer }))?.balance
  const records = `${story.variables.HORIZON_URL}/accounts/${story.wallet.publicKey()}/payments?limit=200`
  const { _embedded } = (await (await fetch(records)).json()) as {
    _embedded: { records: { type: string; from?: string; amount: string }[] }
  }
  const got = _embedded.records.filter(({ type, from }) => type === 'payment' && from === distribution)
  return { treasury, wallet: await balance(story), payments: got.map(({ amount }) => Number(amount)) }
}

export interface Owner {
  story: Story
  operator: Client
}

export async function journalOf({ story, operator }: Owner, account: string): Promise<string> {
  const params = { anchorId: made(story.first.anchorId, 'anchor') }
  const found = await operator.call(listWorkspaceBalances, { params })
  return found.find(line => line.account === account && line.unit === 'asset')?.amount ?? '0'
}

export async function openIncidents({ story, operator }: Owner) {
  const params = { anchorId: made(story.first.anchorId, 'anchor') }
  const found = await operator.call(listWorkspaceIncidents, { params })
  return found.filter(({ resolvedAt }) => resolvedAt === null)
}

/** The open incidents by kind and amount. */
export const namedIncidents = async (owner: Owner): Promise<string[]> =>
  (await openIncidents(owner)).map(({ kind, details }) => `${kind} ${Number(details.amount)}`).sort()

/** Every balance agrees with the ledger once what is lost is named. */
export async function agrees(owners: readonly Owner[]): Promise<void> {
  for (const owner of owners) {
    const agreed = async () => {
      const { treasury } = await ledgerOf(owner.story)
      return Number(await journalOf(owner, 'treasury')) - Number(treasury)
    }
    await expect.poll(() => agreed().catch(String), slowly).toBe(0)
  }
}
