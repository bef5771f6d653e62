import { getVolume } from '@windlass/contracts/platform/volume.ts'
import {
  listAdministratorInvitations,
  listAdministrators,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import { getAdminHome, listJobs } from '@windlass/contracts/platform/admin-home.ts'
import {
  adminLogin,
  adminLogout,
  adminMe,
  getAdminSignOn,
  listAdminSessions,
  listAudit,
  listFleet,
  searchEverything,
  verifyAudit,
} from '@windlass/contracts/platform/administrators.ts'
import { listRoutingPolicies } from '@windlass/contracts/platform/admin-routing.ts'
import {
  getRemoval,
  getWindDown,
  listFleetEvents,
  listUpgrades,
} from '@windlass/contracts/platform/anchor-life.ts'
import {
  approveApplication,
  getApplication,
  listApplications,
  rejectApplication,
  type ReviewedApplication,
} from '@windlass/contracts/platform/applications.ts'
import { getJobStatus, readJobLog, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { getAnchorHealth, listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import { getDecision, routeTransaction } from '@windlass/contracts/aggregator/routing.ts'
import { listRefusedMessages, retryRefusedMessage } from '@windlass/contracts/platform/refused-messages.ts'
import { listEmails, previewEmail } from '@windlass/contracts/platform/emails.ts'
import type { AdminRole, SignInStep } from '@windlass/contracts/realm.ts'
import { adminSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { Refusal, type FakePlatform } from '@windlass/ui/testing/fake-platform.ts'
import {
  anchor,
  auditEntries,
  decision,
  emailPage,
  emails,
  refusedMessages,
  entry,
  events,
  home,
  job,
  minutes,
  policies,
  upgrades,
  administratorInvitations,
  administrators,
  volume,
} from './records.ts'

export const LINK = 'http://localhost:4001/redeem#token=wl-one-time-Qz81'

export interface AdministratorsState {
  signedIn: boolean
  records: ReviewedApplication[]
  /** An application that another administrator rejects right before it is approved. */
  rejectedMeanwhile?: string
  /** What a sign-in waits for. */
  awaiting?: SignInStep
  /** The role of the administrator who is signed in; by default an owner. */
  role?: AdminRole
  /** By default the owner whom the settings name. */
  fromSettings?: boolean
  /** By default that of the device. */
  timeZone?: string
}

/** What the platform and the aggregator answer to an administrator; `state` may change under way. */
export function answerAdministrators(platform: FakePlatform, state: AdministratorsState): void {
  const inside = <T>(answer: T): T | Refusal =>
    state.signedIn ? answer : new Refusal('unauthenticated', 'Sign in first.')
  const found = (id: string | undefined) => state.records.find(record => record.id === id)!
  const review = (id: string | undefined, status: 'approved' | 'rejected', by: string, reason?: string) =>
    Object.assign(found(id), {
      status,
      reviewedBy: by,
      reviewedAt: new Date().toISOString(),
      reason: reason ?? null,
    })
  platform.requests.length = 0
  platform.answer(adminMe, () =>
    inside({
      username: 'bosun',
      role: state.role ?? 'owner',
      fromSettings: state.fromSettings ?? true,
      timeZone: state.timeZone,
      expiresAt: '2026-11-20T18:00:00.000Z',
    }),
  )
  platform.answer(adminLogout, () => ({ ok: true }))
  platform.answer(getAdminSignOn, () => ({ available: false }))
  platform.answer(adminLogin, ({ body }) => {
    state.signedIn = (body as { password: string }).password === 'right'
    const awaiting = state.awaiting ? { awaiting: state.awaiting } : {}
    return state.signedIn
      ? { ok: true, username: 'bosun', ...awaiting }
      : new Refusal('login-failed', 'Not right.')
  })
  platform.answer(adminSecondFactors.challenge, () => ({
    methods: ['passkey' as const, 'recovery-code' as const],
    passkey: null,
  }))
  platform.answer(adminSecondFactors.startApp, () => ({
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Windlass',
    qr: { size: 3, path: 'M0 0h1v1h-1zM2 2h1v1h-1z' },
  }))
  platform.answer(adminSecondFactors.list, () =>
    inside({ required: true, passkeys: [], authenticatorApp: null, recoveryCodesLeft: 0 }),
  )
  platform.answer(listAdministrators, () => inside(administrators()))
  platform.answer(listAdministratorInvitations, () => inside(administratorInvitations()))
  platform.answer(listAdminSessions, () => inside([]))
  platform.answer(listApplications, ({ query }) =>
    inside(state.records.filter(record => !query.get('status') || record.status === query.get('status'))),
  )
  platform.answer(getApplication, ({ params }) => inside(found(params.id)))
  platform.answer(approveApplication, ({ params }) => {
    if (params.id === state.rejectedMeanwhile) review(params.id, 'rejected', 'coxswain', 'No licence.')
    if (found(params.id).status !== 'applied') {
      return new Refusal('application-already-reviewed', 'It was reviewed already.')
    }
    review(params.id, 'approved', 'bosun')
    return {
      id: params.id!,
      status: 'approved' as const,
      rawToken: 'wl-one-time-Qz81',
      invitation: { id: 'inv_9', expiresAt: '2026-11-27T10:00:00.000Z' },
      redeemUrl: LINK,
    }
  })
  platform.answer(rejectApplication, ({ params, body }) => {
    review(params.id, 'rejected', 'bosun', (body as { reason: string }).reason)
    return { id: params.id!, status: 'rejected' as const }
  })
  platform.answer(listJobs, () =>
    inside([job(0, stageNames.length, 'completed'), job(1, 1, 'failed'), job(2, 4, 'running')]),
  )
  platform.answer(getJobStatus, ({ params }) => job(Number(params.jobId!.at(-1)), 1, 'failed'))
  platform.answer(readJobLog, () => [
    {
      id: 1,
      at: '2026-11-20T10:00:00.000Z',
      stage: 'Generating Stellar keys',
      level: 'info' as const,
      text: 'Three key pairs sealed.',
    },
    {
      id: 2,
      at: '2026-11-20T10:00:02.000Z',
      stage: 'Funding accounts',
      level: 'error' as const,
      text: 'The faucet does not answer.',
    },
  ])
  platform.answer(getAdminHome, () => inside(home()))
  platform.answer(getVolume, () => inside(volume()))
  platform.answer(listRefusedMessages, () => inside(refusedMessages))
  platform.answer(retryRefusedMessage, () => inside({ ok: true }))
  platform.answer(listEmails, () => inside(emails))
  platform.answer(previewEmail, ({ query }) => inside(emailPage(query.get('language'))))
  platform.answer(searchEverything, ({ query }) =>
    inside(
      [
        { kind: 'operator' as const, id: 'usr_1', label: 'Mira Okafor (mira@harbour.example)' },
        { kind: 'customer' as const, id: 'cus_1', label: 'ravi@people.example' },
      ].filter(({ label }) => label.includes(query.get('text') ?? '')),
    ),
  )
  platform.answer(listFleet, () => inside([anchor(0), anchor(1, 'suspended'), anchor(2, 'provisioning')]))
  platform.answer(listFleetEvents, () => inside(events()))
  platform.answer(listUpgrades, () => inside({ release: { version: '0.1.0' }, upgrades: upgrades() }))
  platform.answer(getRemoval, () =>
    inside(new Refusal('removal-not-found', 'Nobody asked for the removal of this anchor.')),
  )
  platform.answer(getWindDown, () => inside(new Refusal('not-found', 'Nobody asked to close this anchor.')))
  platform.answer(listAnchors, () => ({ anchors: [entry(0, true), entry(1, false)] }))
  platform.answer(getAnchorHealth, () => ({
    uptime: { good: 202, checks: 208, percentage: 97.1 },
    minutes: minutes(),
  }))
  platform.answer(routeTransaction, ({ body }) =>
    (body as { rail: string }).rail === 'UPI'
      ? decision()
      : new Refusal('no-eligible-anchor', 'No anchor is eligible.', {
          rejected: { byRule: { rail: 5 }, examples: decision().rejected.examples.slice(0, 1) },
        }),
  )
  platform.answer(getDecision, ({ params }) =>
    params.id === decision().decisionId
      ? decision()
      : new Refusal('decision-not-found', 'There is no decision with this id.'),
  )
  platform.answer(listRoutingPolicies, () => inside(policies()))
  platform.answer(listAudit, () => inside(auditEntries()))
  platform.answer(verifyAudit, () => ({ ok: true, entries: 4, unchecked: [] }))
}
