import { createApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { getWorkspace } from '@windlass/contracts/anchor/developer-api.ts'
import {
  getOperatorProfile,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { getTestDeposit, startTestDeposit } from '@windlass/contracts/platform/test-deposits.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { findInMail } from './mailbox.ts'
import { expect, type Founder, made, type Step } from './story.ts'

export const signInOperator: Step = {
  title: 'Founder signs in',
  run: async story => {
    const { operator, first } = story
    await operator.call(requestOperatorCode, { body: { email: first.email } })
    const code = await findInMail(story, first.email, /^(\d{6})$/m)
    await operator.call(verifyOperatorCode, { body: { email: first.email, code } })
    const { user, organizations, projects } = await operator.call(getOperatorProfile)
    expect(user.fullName === first.fullName, `the operator's name is ${user.fullName}`)
    const project = projects.find(({ anchorId }) => anchorId === first.anchorId)
    expect(project?.status === 'active', `the project is ${project?.status ?? 'missing'}, not active`)
    return `with the code from the email → ${organizations[0]?.name}, project ${project.subdomain} ${project.status}`
  },
}

export const useApiKey: Step = {
  title: 'API key works at its own anchor only',
  run: async ({ anchors, operator, first, second }) => {
    const anchorId = made(first.anchorId, 'anchor')
    const { key } = await operator.call(createApiKey, { params: { anchorId }, body: { name: 'Demo' } })
    const at = async (founder: Founder) => {
      const { homeDomain } = made(founder.anchor, 'anchor')
      const url = `http://${homeDomain}${getWorkspace.path}`
      return anchors.request(url, { headers: { authorization: `Bearer ${key}` } })
    }
    const own = await at(first)
    expect(own.status === 200, `at its own anchor it answers ${own.status}: ${own.text}`)
    const other = await at(second)
    expect(other.status === 401, `at the other anchor it answers ${other.status}, not 401`)
    const { treasury }: { treasury: { capacity: string } } = JSON.parse(own.text)
    return `GET ${getWorkspace.path} → capacity ${treasury.capacity}; at the other anchor → 401`
  },
}

/** A public network needs three ledgers of five seconds. */
const DEPOSIT_WITHIN_MS = 150_000

export const runTestDeposit: Step = {
  title: 'Founder runs a test deposit',
  run: async ({ operator, first }) => {
    const params = { anchorId: made(first.anchorId, 'anchor') }
    const { id } = await operator.call(startTestDeposit, { params })
    for (let waited = 0; waited < DEPOSIT_WITHIN_MS; waited += 250) {
      const { latest } = await operator.call(getTestDeposit, { params })
      expect(latest?.state !== 'failed', `the test deposit failed: ${latest?.failure}`)
      if (latest?.id === id && latest.state === 'completed')
        return `${latest.requests.length} requests, from SEP-1 to ${latest.amount} ${first.anchor?.assetCode} in the test wallet`
      await sleep(250)
    }
    throw new Error('the test deposit did not end in time')
  },
}
