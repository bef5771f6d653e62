import {
  listWorkspaceRefusedMessages,
  type RefusedAnchorMessage,
} from '@windlass/contracts/anchor/refused-anchor-messages.ts'
import type { ApiRequest } from '@windlass/contracts/anchor/api-requests.ts'
import { listWorkspaceApiRequests } from '@windlass/contracts/platform/workspace-api-requests.ts'
import { createApiKey, listApiKeys, revokeApiKey, rollApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { addMember, listMembers, type Member, removeMember } from '@windlass/contracts/platform/members.ts'
import { getSingleSignOn } from '@windlass/contracts/platform/single-sign-on.ts'
import {
  confirmOperator,
  getOperatorProfile,
  listOperatorSessions,
  logoutOperator,
  refreshOperatorSession,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { operatorSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { getWorkspace } from '@windlass/contracts/platform/workspaces.ts'
import { type FakePlatform, Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { answerAnchor } from './anchor.ts'
import {
  ANCHOR,
  DOMAIN,
  type Inside,
  keyOf,
  memberOf,
  type OperatorsState,
  workspace,
} from './operators-state.ts'
import { answerRecords } from './records.ts'
import { answerNotifications, answerWebhooks } from './webhooks.ts'

/** What the platform answers to an operator. */
export function answerOperators(platform: FakePlatform, state: OperatorsState): void {
  const inside: Inside = answer =>
    state.session === 'good' ? answer : new Refusal('unauthenticated', 'Sign in first.')
  platform.requests.length = 0
  platform.answer(requestOperatorCode, () => ({ ok: true }))
  platform.answer(verifyOperatorCode, ({ body }) => {
    if ((body as { code: string }).code !== '482913') return new Refusal('code-not-accepted', 'No.')
    state.session = 'good'
    const awaiting = state.secondFactors.length > 0 ? { awaiting: 'second-factor' as const } : {}
    return { id: 'usr_1', email: 'mira@harbour.example', fullName: 'Mira Okafor', isNew: false, ...awaiting }
  })
  platform.answer(refreshOperatorSession, () => {
    if (state.session === 'none') return new Refusal('session-expired', 'It has ended.')
    state.session = 'good'
    return { ok: true }
  })
  platform.answer(logoutOperator, () => {
    state.session = 'none'
    return { ok: true }
  })
  platform.answer(getOperatorProfile, () =>
    inside({
      user: { id: state.userId ?? 'usr_1', email: 'mira@harbour.example', fullName: 'Mira Okafor' },
      organizations: [
        {
          id: 'org_1',
          name: 'Harbour Payments Ltd',
          slug: 'harbour',
          role: 'owner' as const,
          anchors: [{ id: ANCHOR, subdomain: 'harbour', status: 'active', homeDomain: DOMAIN }],
        },
      ],
      projects: [],
    }),
  )
  platform.answer(operatorSecondFactors.challenge, () => ({ methods: state.secondFactors, passkey: null }))
  platform.answer(operatorSecondFactors.list, () =>
    inside({
      required: false,
      passkeys: [
        { id: 'pky_1', name: 'Work laptop', createdAt: '2026-11-18T10:00:00.000Z', lastUsedAt: null },
      ],
      authenticatorApp: { createdAt: '2026-11-18T10:00:00.000Z', lastUsedAt: '2026-11-19T10:00:00.000Z' },
      recoveryCodesLeft: 9,
    }),
  )
  platform.answer(operatorSecondFactors.verify, ({ body }) => {
    if ((body as { code?: string }).code !== '123456') return new Refusal('second-factor-refused', 'No.')
    state.confirmed = true
    return { ok: true, recoveryCodesLeft: 9 }
  })
  platform.answer(listOperatorSessions, () =>
    inside([
      {
        id: 'ses_1',
        current: true,
        createdAt: '2026-11-20T10:00:00.000Z',
        lastSeenAt: '2026-11-20T10:00:00.000Z',
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0 Safari/537.36',
        address: '127.0.0.1',
      },
      {
        id: 'ses_2',
        current: false,
        createdAt: '2026-11-18T10:00:00.000Z',
        lastSeenAt: '2026-11-19T10:00:00.000Z',
        userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Firefox/144.0',
        address: '203.0.113.9',
      },
    ]),
  )
  platform.answer(getWorkspace, ({ params }) =>
    params.anchorId === ANCHOR ? inside(workspace) : new Refusal('anchor-not-found', 'None of yours.'),
  )
  answerAnchor(platform, state, inside)
  answerRecords(platform, state, inside)
  answerWebhooks(platform, state, inside)
  answerNotifications(platform, state, inside)
  platform.answer(listMembers, () => inside(state.team))
  platform.answer(getSingleSignOn, () =>
    inside({
      provider: null,
      redirectUrl: 'https://console.windlass.example/single-sign-on/org_1',
      signInUrl: 'https://console.windlass.example/single-sign-on?organization=harbour',
    }),
  )
  platform.answer(confirmOperator, ({ body }) => {
    state.confirmed = (body as { code?: string }).code === '482 913'
    return state.confirmed ? { ok: true } : new Refusal('confirmation-refused', 'No.')
  })
  platform.answer(addMember, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Who are you?')
    const { email, role } = body as Member
    if (state.team.some(member => member.email === email)) return new Refusal('already-a-member', 'Known.')
    const made = { ...memberOf('usr_3', 'Noor Haddad', role), email }
    state.team = [...state.team, made]
    return made
  })
  platform.answer(removeMember, ({ params }) => {
    state.team = state.team.filter(({ userId }) => userId !== params.userId)
    return { ok: true }
  })
  platform.answer(listApiKeys, () => inside(state.keys))
  platform.answer(listWorkspaceApiRequests, ({ query }) =>
    inside(apiRequests.filter(({ status }) => query.get('failed') !== 'true' || status >= 400)),
  )
  platform.answer(listWorkspaceRefusedMessages, () => inside(refusedMessages))
  platform.answer(createApiKey, ({ body }) => {
    if (state.session !== 'good') return new Refusal('unauthenticated', 'Sign in first.')
    const made = keyOf('key_2', (body as { name: string }).name)
    state.keys = [made, ...state.keys]
    return { ...made, key: 'wl_test_QwErTy123456' }
  })
  platform.answer(revokeApiKey, ({ params }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.keys = state.keys.map(key =>
      key.id === params.id ? { ...key, revokedAt: new Date().toISOString() } : key,
    )
    return { ok: true }
  })
  platform.answer(rollApiKey, () => ({ ...keyOf('key_3', 'nightly export'), key: 'wl_test_Successor42' }))
}

const apiRequests: readonly ApiRequest[] = [
  ['2', 'GET', '/api/v1/transactions/:id', 404],
  ['1', 'GET', '/api/v1/transactions', 200],
].map(([id, method, path, status]) => ({
  id: String(id),
  at: '2026-11-20T10:00:00.000Z',
  keyId: 'key_1',
  method: String(method),
  path: String(path),
  status: Number(status),
  durationMs: 12,
  requestId: `0d6f2c1e-${id}`,
}))

const refusedMessages: RefusedAnchorMessage[] = [
  {
    ...{ id: '4711', topic: 'sep-calls', what: 'notify_offchain_funds_sent', keyId: null, code: 'refused' },
    ...{ transactionId: '6f1e0b5a-7b54-4c5e-9a0e-2f1d6f0f7a11', detail: 'The transaction is completed.' },
    ...{ writtenAt: '2026-11-20T10:00:00.000Z', nextAt: null },
  },
  {
    ...{ id: 'act_1', topic: 'key-acts', what: 'csv-columns.changed', keyId: 'key_1', detail: null },
    ...{ code: 'validation-failed', transactionId: null },
    ...{ writtenAt: '2026-11-20T09:00:00.000Z', nextAt: '2026-11-20T10:10:00.000Z' },
  },
]
