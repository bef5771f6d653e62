import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import {
  challengeWallet,
  linkWallet,
  listWallets,
  proveWallet,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import { queryKyc } from '@windlass/contracts/internal/internal.ts'
import { getKycStatus } from '@windlass/contracts/platform/kyc.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { findInMail } from './mailbox.ts'
import { expect, made, type Step, type Story } from './story.ts'
import { tokenAt } from './wallet.ts'

export const signInCustomer: Step = {
  title: 'Customer signs in',
  run: async story => {
    const { customer, customerEmail: email } = story
    await customer.call(requestCustomerCode, { body: { email } })
    const code = await findInMail(story, email, /^(\d{6})$/m)
    const { body, headers } = await customer.send(verifyCustomerCode, { body: { email, code } })
    const cookie = headers.getSetCookie().find(line => line.startsWith('ns_customer=')) ?? ''
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax']) {
      expect(cookie.includes(attribute), `the cookie has no ${attribute}`)
    }
    expect(
      body.status === 'success' && body.user.email === email,
      'the response does not match the specification',
    )
    story.customerId = body.user.id
    return `with code ${code} from the email → ns_customer`
  },
}

export const linkAndProveWallet: Step = {
  title: 'Links and proves a wallet',
  run: async ({ customer, wallet }) => {
    const address = wallet.publicKey()
    const { id } = await customer.call(linkWallet, {
      body: { address, label: 'Demo wallet', network: 'testnet' },
    })
    const challenge = await customer.call(challengeWallet, { params: { id } })
    const transaction = TransactionBuilder.fromXDR(challenge.transaction, challenge.networkPassphrase)
    transaction.sign(wallet)
    await customer.call(proveWallet, { params: { id }, body: { transaction: transaction.toXDR() } })
    const [linked] = await customer.call(listWallets)
    expect(linked?.address === address && linked.verified, 'the wallet is not listed as proven')
    return `${address.slice(0, 8)}… → verified`
  },
}

export const verifyIdentity: Step = {
  title: 'Is verified at one anchor',
  run: async story => {
    const { anchors, customer, first, variables } = story
    const before = await customer.call(getKycStatus)
    expect(before.status !== 'ACCEPTED', 'the customer is accepted before anything happened')
    const { homeDomain } = made(first.anchor, 'anchor')
    const [secret] = (variables.PROVIDER_WEBHOOK_SECRET ?? '').split(',')
    const body = report(made(story.customerId, 'customer'))
    const answer = await anchors.request(`http://${homeDomain}/api/v1/customer/kyc/webhook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signWebhook(secret ?? '', `msg_${story.customerId}`, body, new Date()),
      },
      body,
    })
    expect(answer.status === 200, `the webhook was answered with ${answer.status}: ${answer.text}`)
    const forged = await anchors.request(`http://${homeDomain}/api/v1/customer/kyc/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': '0'.repeat(64) },
      body,
    })
    expect(forged.status === 401, `a forged webhook answers ${forged.status}, not 401`)
    await untilAccepted(story)
    return `${before.status} → the provider's signed webhook → ACCEPTED; a forged one → 401`
  },
}

export const verifiedEverywhere: Step = {
  title: 'Is then verified at every anchor',
  run: async story => {
    const { anchors, second, variables, visitor, wallet } = story
    const central = await visitor.call(queryKyc, {
      query: { walletAddress: wallet.publicKey() },
      headers: { 'x-service-secret': variables.SERVICE_SECRET ?? '' },
    })
    expect(central.verified, `the platform says ${central.status}`)
    const { homeDomain } = made(second.anchor, 'second anchor')
    const authorization = `Bearer ${await tokenAt(story, second)}`
    // The wallet registers (SEP-12) without any data.
    const introduced = await anchors.request(`http://${homeDomain}/sep12/customer`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ account: wallet.publicKey() }),
    })
    expect(introduced.status === 202, `SEP-12 answers ${introduced.status}: ${introduced.text}`)
    const { id }: { id: string } = JSON.parse(introduced.text)
    const url = `http://${homeDomain}/sep12/customer?id=${id}`
    const answer = await anchors.request(url, { headers: { authorization } })
    expect(answer.status === 200, `SEP-12 answers ${answer.status}: ${answer.text}`)
    const { status }: { status: string } = JSON.parse(answer.text)
    expect(status === 'ACCEPTED', `the second anchor says ${status}`)
    return `/internal/customers/kyc and SEP-12 at ${homeDomain} → ACCEPTED`
  },
}

function report(customerId: string): string {
  return JSON.stringify({
    event: 'session.completed',
    data: {
      sessionId: `session-${customerId}`,
      status: 'APPROVED',
      customerId,
      completedAt: new Date().toISOString(),
    },
  })
}

async function untilAccepted({ customer }: Story): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const { status } = await customer.call(getKycStatus)
    if (status === 'ACCEPTED') return
    await sleep(100)
  }
  throw new Error('the platform did not learn of the decision within a minute')
}
