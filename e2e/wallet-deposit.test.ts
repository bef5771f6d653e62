import { Account, Asset, BASE_FEE, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { readAccount } from '@windlass/stellar/horizon-account.ts'
import { listNotifications } from '@windlass/contracts/notifications.ts'
import { setWorkspaceTreasurySettings } from '@windlass/contracts/workspace-records.ts'
import { findInMail, mailsTo } from '@windlass/windlass/demo/mailbox.ts'
import { signInOperator } from '@windlass/windlass/demo/operator.ts'
import { watchProvisioning } from '@windlass/windlass/demo/provisioning.ts'
import { STEPS } from '@windlass/windlass/demo/steps.ts'
import { beginStory, made, type Story } from '@windlass/windlass/demo/story.ts'
import { tokenAt } from '@windlass/windlass/demo/wallet.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { raiseWholeStack, type RaisedStack } from './raised-stack.ts'

let stack: RaisedStack
let story: Story
beforeAll(async () => {
  stack = await raiseWholeStack()
  story = beginStory(stack.variables)
  for (const step of STEPS.slice(0, STEPS.indexOf(watchProvisioning) + 1))
    await step.run(story, () => undefined)
}, 240_000)
afterAll(async () => {
  await story?.anchors.close()
  await stack?.remove()
}, 60_000)

it('a wallet that nobody knows deposits at a fresh anchor, and its owner is known everywhere after', async () => {
  const { homeDomain = '', issuer = '', assetCode = '' } = made(story.first.anchor, 'anchor')
  const address = story.wallet.publicKey()
  await openAccountWithTrustline(new Asset(assetCode, issuer))
  const authorization = `Bearer ${await tokenAt(story, story.first)}`
  const begun = await story.anchors.request(`http://${homeDomain}/sep24/transactions/deposit/interactive`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ asset_code: assetCode, amount: '100' }),
  })
  const { id, url }: { id: string; url: string } = JSON.parse(begun.text)
  const page = browserAt(homeDomain, `/interactive/t/${id}`)

  expect(await page.open(url)).toContain('Email address')
  expect(await page.submit('email', { email: story.customerEmail })).toContain('6-digit code')
  const code = await findInMail(story, story.customerEmail, /\b(\d{6})\b/)
  expect(await page.submit('code', { code })).toContain('Verify my identity')
  expect(await page.submit('verify')).toContain('Test identity check')
  await expect.poll(() => page.open(), { timeout: 30_000, interval: 300 }).toContain('Review and confirm')
  expect(await page.submit('confirm')).toContain('Simulate my payment')
  await page.submit('paid')
  await expect.poll(() => page.open(), { timeout: 30_000, interval: 300 }).toContain('<h1>Completed</h1>')

  const account = await readAccount(stack.variables.HORIZON_URL ?? '', address)
  expect(account?.balances.find(({ asset }) => asset === `${assetCode}:${issuer}`)?.balance).toBe(
    '100.0000000',
  )
  const registered = await fetch(
    `${stack.variables.PLATFORM_URL}/api/v1/internal/customers/kyc?walletAddress=${address}`,
    { headers: { 'x-service-secret': stack.variables.SERVICE_SECRET ?? '' } },
  )
  expect(await registered.json()).toMatchObject({ status: 'ACCEPTED', verified: true })
}, 180_000)

it('the owner gets an email when the anchor lacks XLM, and one when it has enough again', async () => {
  const { operator, first } = story
  await signInOperator.run(story, () => undefined)
  const params = { anchorId: made(first.anchorId, 'anchor') }
  const least = (xlmLow: string) =>
    operator.call(setWorkspaceTreasurySettings, {
      params,
      body: { low: '1', ceiling: null, coldAccount: null, xlmLow },
    })
  const subjects = async () => (await mailsTo(story, first.email)).map(({ subject }) => subject)
  const received = { timeout: 90_000, interval: 500 }

  await least('1000000')
  await expect.poll(subjects, received).toContainEqual(expect.stringContaining('XLM is missing'))
  const [open] = await operator.call(listNotifications, { params, query: { open: true } })
  expect(open).toMatchObject({ kind: 'xlm-low', detail: expect.stringContaining('1000000 XLM') })
  await least('1')
  await expect.poll(subjects, received).toContainEqual(expect.stringContaining('enough XLM again'))
  const mails = (await subjects()).filter(subject => subject.includes('XLM'))
  expect(mails).toHaveLength(2)
}, 240_000)

async function openAccountWithTrustline(asset: Asset): Promise<void> {
  const { HORIZON_URL = '', FRIENDBOT_URL = '', NETWORK_PASSPHRASE = '' } = stack.variables
  const { wallet } = story
  await (await fetch(`${FRIENDBOT_URL}?addr=${wallet.publicKey()}`)).text()
  const account = made(await readAccount(HORIZON_URL, wallet.publicKey()), 'account of the wallet')
  const transaction = new TransactionBuilder(new Account(account.id, account.sequence), {
    fee: BASE_FEE,
    networkPassphrase: NETWORK_PASSPHRASE,
    timebounds: { minTime: 0, maxTime: 0 },
  })
    .addOperation(Operation.changeTrust({ asset }))
    .build()
  transaction.sign(wallet)
  expect(await createHorizon(HORIZON_URL).submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
}

/** A customer's browser on the pages of one transaction, over the reverse proxy: keeps the cookie, follows redirects. */
function browserAt(homeDomain: string, base: string) {
  const origin = `http://${homeDomain}`
  let cookie = ''
  const go = async (url: string, init: { method?: 'POST'; body?: string } = {}): Promise<string> => {
    const form = init.body === undefined ? undefined : 'application/x-www-form-urlencoded'
    const answer = await story.anchors.request(url.startsWith('http') ? url : origin + url, {
      ...init,
      headers: { cookie, origin, ...(form ? { 'content-type': form } : {}) },
      timeout: 15_000,
    })
    const set = [answer.headers['set-cookie']].flat()[0]
    if (set) cookie = set.split(';')[0] ?? ''
    const { location } = answer.headers
    return answer.status === 303 && typeof location === 'string' ? go(location) : answer.text
  }
  return {
    open: (url = base) => go(url),
    submit: (act: string, fields: Record<string, string> = {}) =>
      go(`${base}/${act}`, { method: 'POST', body: new URLSearchParams(fields).toString() }),
  }
}
