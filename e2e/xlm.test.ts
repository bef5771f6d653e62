import { Memo } from '@stellar/stellar-sdk/base'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { routeTransaction } from '@windlass/contracts/aggregator/routing.ts'
import { submitApplication } from '@windlass/contracts/platform/applications.ts'
import { getWorkspaceSigning, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { approveTwo, logInAsAdministrator } from '@windlass/windlass/demo/administer.ts'
import { applyForOthers } from '@windlass/windlass/demo/apply.ts'
import { linkAndProveWallet, signInCustomer, verifyIdentity } from '@windlass/windlass/demo/customer.ts'
import {
  askAs,
  balance,
  openDeposit,
  payAnchor,
  payDeposit,
  readTransaction,
  withdrawAmount,
} from '@windlass/windlass/demo/money.ts'
import { runTestDeposit, signInOperator } from '@windlass/windlass/demo/operator.ts'
import { watchProvisioning } from '@windlass/windlass/demo/provisioning.ts'
import { redeemInvitations } from '@windlass/windlass/demo/redeem.ts'
import { beginStory, made, type Story } from '@windlass/windlass/demo/story.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agrees, journalOf, type Owner } from './ledger-and-journal.ts'
import { raiseWholeStack, type RaisedStack } from './raised-stack.ts'

const slowly = { timeout: 60_000, interval: 500 }

let stack: RaisedStack
let story: Story
let owner: Owner
const params = () => ({ anchorId: made(story.first.anchorId, 'anchor') })

/** A deposit that the customer pays; resolves once the ledger has it. */
const deposited = async (amount: string) => payDeposit(story, await openDeposit(story, amount))

describe('an anchor of XLM', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stack = await raiseWholeStack({ FX_RATE_XLM_USDC: '8' })
    story = beginStory(stack.variables)
  }, 240_000)
  afterAll(async () => {
    await story?.anchors.close()
    await stack?.remove()
  })

  it('is applied for, approved and raised, and wallets find it', async () => {
    const { id } = await story.visitor.call(submitApplication, {
      body: {
        companyProfile: { name: story.first.company, businessEmail: story.first.email },
        stellarConfig: { assets: [{ code: 'XLM' }] },
      },
    })
    story.first.applicationId = id
    for (const step of [applyForOthers, logInAsAdministrator, approveTwo, redeemInvitations])
      await step.run(story, () => undefined)
    await watchProvisioning.run(story, () => undefined)
    expect(story.first.anchor).toMatchObject({ assetCode: 'XLM', issuer: 'native' })
    await signInOperator.run(story, () => undefined)
    owner = { story, operator: story.operator }
    const listed = async () =>
      (await story.aggregator.call(listAnchors, { query: { asset: 'native' } })).anchors.map(
        ({ slug, current_availability }) => [slug, current_availability],
      )
    await expect.poll(listed, slowly).toEqual([[story.first.subdomain, true]])
    const route = await story.aggregator.call(routeTransaction, {
      body: { asset: 'native', amount: '20', rail: 'UPI' },
    })
    expect(route).toMatchObject({ anchorId: params().anchorId })
  })

  it('opens a customer’s account with a deposit, pays another one to it, and pays a withdrawal out', async () => {
    for (const step of [signInCustomer, linkAndProveWallet, verifyIdentity])
      await step.run(story, () => undefined)
    const ask = await askAs(story)
    await ask('PUT', '/sep12/customer', { account: story.wallet.publicKey() })
    expect(await balance(story)).toBe('0')
    const { amount_out: opened } = await deposited('100')
    expect(Number(await balance(story))).toBe(Number(opened))
    const { amount_out: more } = await deposited('50')
    expect(Number(await balance(story))).toBe(Number(opened) + Number(more))
    const before = Number(await balance(story))
    const { amount_in: sold, amount_out: paid } = await withdrawAmount(story, '40')
    // The network's fee is the wallet's.
    expect(before - Number(await balance(story))).toBeCloseTo(Number(sold), 1)
    // (40 XLM less a fee of 0.7) at 88.50 rupees for 8 XLM.
    expect(Number(paid)).toBeCloseTo(434.75, 1)
    await agrees([owner])
    expect(await journalOf(owner, 'customers')).toBe('0')
  })

  it('sends back what nobody asked for, and keeps what its operator tops up', async () => {
    const before = Number(await balance(story))
    await payAnchor(story, '7', Memo.none())
    await expect.poll(async () => Number(await balance(story)), slowly).toBeCloseTo(before, 1)
    const capital = Number(await journalOf(owner, 'capital'))
    await payAnchor(story, '5', Memo.text('top-up'))
    await expect.poll(async () => Number(await journalOf(owner, 'capital')), slowly).toBe(capital - 5)
    await agrees([owner])
    expect(await journalOf(owner, 'suspense')).toBe('0')
  })

  it('has nothing signed beyond its limit of an hour, and pays once people allow it', async () => {
    const { limits } = await owner.operator.call(getWorkspaceSigning, { params: params() })
    const body = { ...limits, perHour: '30' }
    await owner.operator.call(setWorkspaceSigningLimits, { params: params(), body })
    const id = await openDeposit(story, '60')
    const ask = await askAs(story)
    await ask('POST', `/sandbox/transactions/${id}/payment`, {})
    const stopped = async () => (await owner.operator.call(getWorkspaceSigning, { params: params() })).stopped
    await expect
      .poll(stopped, slowly)
      .toContainEqual(expect.objectContaining({ server: 'business', reason: 'per-hour' }))
    expect((await readTransaction(story, id)).status).toMatch(/^pending/)
    await owner.operator.call(setWorkspaceSigningLimits, { params: params(), body: limits })
    await expect.poll(async () => (await readTransaction(story, id)).status, slowly).toBe('completed')
    await agrees([owner])
  })

  it('passes the founder’s test deposit', async () => {
    await runTestDeposit.run(story, () => undefined)
    await agrees([owner])
  })
})
