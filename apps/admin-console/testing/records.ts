import type { getVolume } from '@windlass/contracts/platform/volume.ts'
import type { RefusedMessage } from '@windlass/contracts/platform/refused-messages.ts'
import type { EmailSample } from '@windlass/contracts/platform/emails.ts'
import type {
  Administrator,
  AdministratorInvitation,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import type { getAdminHome, listJobs } from '@windlass/contracts/platform/admin-home.ts'
import type { FleetAnchor, listAudit } from '@windlass/contracts/platform/administrators.ts'
import type { AnchorEvent, Removal, Upgrade } from '@windlass/contracts/platform/anchor-life.ts'
import type { ReviewedApplication } from '@windlass/contracts/platform/applications.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import {
  fillScores,
  type Candidate,
  type RouteAnswer,
  type RoutingPolicy,
} from '@windlass/contracts/aggregator/routing.ts'

/** Records for this console's tests, typed by the contracts. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const companies = ['Harbour Payments Ltd', 'Monsoon Pay', 'Baltic Rails OÜ', 'Kestrel Remit', 'Lagos Gateway']

export const application = (
  index: number,
  status: ReviewedApplication['status'] = 'applied',
  extra: Partial<ReviewedApplication> = {},
): ReviewedApplication => ({
  id: `app_7f3k2m9q4x8z${index}`,
  status,
  companyProfile: {
    name: companies[index % companies.length] ?? '',
    businessEmail: `founder${index}@company.example`,
    country: 'IN',
    website: 'https://company.example',
    ...{ taxNumber: `TAX-${index}` },
  },
  stellarConfig: { assetCode: 'HARB', assetName: 'Harbour Dollar', anchoredTo: 'USD' },
  paymentRails: {
    rails: ['UPI', 'IMPS'],
    fee: { fixed: '0.5', percentage: '0.005' },
    limits: { min: '1', max: '50000' },
    settlement: 'instant',
  },
  compliance: { jurisdiction: 'IN', licenseNumber: 'RBI-2231', regions: ['IN', 'AE'] },
  hasCredentials: index % 2 === 0,
  createdAt: ago(3 + index * 47),
  reviewedAt: status === 'applied' ? null : ago(1),
  reviewedBy: status === 'applied' ? null : 'bosun',
  reason: status === 'rejected' ? 'The licence could not be found in the register.' : null,
  invitation:
    status === 'approved'
      ? { id: 'inv_1', status: 'open', createdAt: ago(1), expiresAt: ago(-10_000) }
      : null,
  ...extra,
})

export const queue = (): ReviewedApplication[] => [
  application(0),
  application(1),
  application(2, 'approved'),
  application(3, 'rejected'),
  application(4),
]

export type ListedJob = AnswerOf<typeof listJobs>[number]

export function job(index: number, done: number, status: ListedJob['status']): ListedJob {
  const stage = stageNames[Math.min(done, stageNames.length - 1)] ?? 'completed'
  const detail = 'The faucet does not answer, so the accounts could not be funded.'
  return {
    jobId: `Zk3vQm8sT1uYx5aBc7dEf${index}`,
    status,
    stage,
    result: { stage, homeDomain: 'harbour.anchors.localhost' },
    stages: stageNames.map((name, at) => ({
      name,
      status: at < done ? 'completed' : at === done && status !== 'pending' ? status : 'pending',
      startedAt: at <= done ? ago(2) : null,
      finishedAt: at < done ? ago(1.9) : null,
      attempts: at <= done ? 1 : 0,
    })),
    attempts: 1,
    ...(status === 'failed' ? { error: { stage, code: 'faucet-unreachable', detail, retryable: true } } : {}),
    createdAt: ago(5),
    updatedAt: ago(1),
    anchorId: `a1b2c3d4e5f6g7h8i9j${index}`,
    subdomain: ['harbour', 'monsoon', 'baltic'][index] ?? 'kestrel',
    organizationName: companies[index] ?? '',
  }
}

export const anchor = (
  index: number,
  status: FleetAnchor['status'] = 'active',
  extra: Partial<FleetAnchor> = {},
): FleetAnchor => ({
  id: `a1b2c3d4e5f6g7h8i9j${index}`,
  organizationId: `org_${index}`,
  organizationName: companies[index] ?? '',
  subdomain: 'harbour',
  homeDomain: `${['harbour', 'monsoon', 'baltic'][index] ?? 'kestrel'}.anchors.localhost`,
  status,
  assetCode: 'HARB',
  rails: ['UPI'],
  regions: ['IN'],
  issuer: 'GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB',
  jobId: `Zk3vQm8sT1uYx5aBc7dEf${index}`,
  reason: status === 'suspended' ? 'Asked for by the regulator.' : null,
  createdAt: ago(600),
  activatedAt: status === 'provisioning' ? null : ago(598),
  ...extra,
})

export const entry = (index: number, available: boolean): RegistryEntry => ({
  id: `a1b2c3d4e5f6g7h8i9j${index}`,
  slug: 'harbour',
  name: companies[index] ?? '',
  domain: 'harbour.anchors.localhost',
  status: 'active',
  regions: ['IN'],
  assets: [
    { code: 'HARB', issuer: 'GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB', anchoredTo: 'USD' },
  ],
  rails: ['UPI'],
  limits: { min: '1', max: '50000' },
  fees: { fixed: '0.5', percentage: '0.005' },
  settlement: 'instant',
  treasury_capacity: '1000000',
  current_availability: available,
  domainVerified: true,
  lastCheckedAt: ago(0),
  createdAt: ago(600),
  updatedAt: ago(1),
})

export const minutes = () =>
  Array.from({ length: 52 }, (_, at) => ({
    minute: ago(52 - at),
    good: at === 20 ? 0 : at === 21 ? 2 : 4,
    checks: 4,
    latencyMs: 12,
  }))

export const policies = (): RoutingPolicy[] => [
  {
    id: 'pol_2',
    version: 2,
    name: 'Cheaper first',
    weights: fillScores({ fee: 0.5, speed: 0.1, uptime: 0.2, liquidity: 0.2 }, 0),
    active: true,
    createdAt: ago(60),
    activatedAt: ago(60),
  },
  {
    id: 'pol_1',
    version: 1,
    name: 'Default',
    weights: fillScores({ fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.2 }, 0),
    active: false,
    createdAt: ago(9000),
    activatedAt: ago(9000),
  },
]

export const auditEntries = (): AnswerOf<typeof listAudit> =>
  ['application.approved', 'invitation.redeemed', 'anchor.activated', 'admin.login'].map((action, index) => ({
    id: `${9 - index}`,
    at: ago(index * 12),
    actor: index === 1 ? 'public' : 'admin:bosun',
    action,
    subject: `application:app_7f3k2m9q4x8z${index}`,
    details: index === 0 ? { invitation: 'inv_1' } : {},
    ...(index === 0 ? { subjectName: 'Harbour Payments Ltd' } : {}),
    hash: 'c0ffee',
  }))

const candidate = (index: number, fee: string, score: number, scores: Candidate['scores']): Candidate => ({
  rank: index + 1,
  anchorId: anchor(index).id,
  slug: ['harbour', 'monsoon', 'baltic'][index] ?? 'kestrel',
  fee,
  score,
  scores,
})

/** harbour wins by its fee; with speed alone monsoon would. */
export function decision(): RouteAnswer {
  const candidates = [
    candidate(0, '1', 89.66, fillScores({ fee: 100, speed: 50, uptime: 98.3, liquidity: 100 }, 0)),
    candidate(1, '1.25', 82, fillScores({ fee: 80, speed: 100, uptime: 90, liquidity: 60 }, 0)),
  ]
  return {
    anchorId: anchor(0).id,
    slug: 'harbour',
    domain: 'harbour.anchors.localhost',
    amount: '100',
    asset: 'HARB',
    rail: 'UPI',
    region: 'IN',
    score: 89.66,
    scores: fillScores({ fee: 100, speed: 50, uptime: 98.3, liquidity: 100 }, 0),
    weights: fillScores({ fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.2 }, 0),
    policyId: 'pol_1',
    fee: '1',
    candidates,
    eligible: 2,
    rejected: {
      byRule: { rail: 1, availability: 2 },
      examples: [
        { anchorId: anchor(2).id, rule: 'rail', detail: 'does not offer UPI' },
        { anchorId: anchor(3).id, rule: 'availability', detail: 'did not answer its last check' },
      ],
    },
    reasoning:
      '5 anchors are registered; 2 of them can take 100 HARB over UPI in IN.\nharbour has the highest sum.',
    decisionId: 'dec_8Jq2',
    decidedAt: ago(1),
    stale: false,
  }
}

export const events = (): AnchorEvent[] => [
  {
    id: 'evt_1',
    at: ago(40),
    kind: 'ledger-reset',
    detail: 'Its accounts were funded and HARB issued again.',
  },
]

export const upgrades = (): Upgrade[] => [
  {
    id: 'upg_1',
    from: { version: '0.1.0' },
    to: { version: '0.2.0' },
    state: 'failed',
    requestedBy: 'admin:bosun',
    error: { code: 'never-healthy', detail: 'The business server did not become healthy within 60 s.' },
    createdAt: ago(30),
    finishedAt: ago(29),
  },
]

export const removal = (state: Removal['state']): Removal => ({
  id: 'rem_1',
  state,
  reason: 'The licence has lapsed.',
  forced: false,
  export:
    state === 'done'
      ? {
          file: 'harbour-2026-11-20.tar.gz',
          bytes: 1_234_567,
          sha256: 'c0ffee'.repeat(10) + 'c0ff',
          rows: 1204,
        }
      : null,
  error: null,
  createdAt: ago(3),
  finishedAt: state === 'done' ? ago(2) : null,
})

export const administrators = (): Administrator[] => [
  {
    id: 'settings',
    username: 'bosun',
    name: null,
    role: 'owner',
    fromSettings: true,
    secondFactor: true,
    lastSignInAt: '2026-11-20T09:00:00.000Z',
    invitedBy: null,
    since: null,
  },
  {
    id: 'adm_1',
    username: 'mira.okafor.of.the.harbour.office@windlass-harbour-payments.example',
    name: 'Mira Okafor',
    role: 'operator',
    fromSettings: false,
    secondFactor: true,
    lastSignInAt: '2026-11-19T16:30:00.000Z',
    invitedBy: 'bosun',
    since: '2026-11-01T10:00:00.000Z',
  },
  {
    id: 'adm_2',
    username: 'jonas@windlass.example',
    name: 'Jonas Lind',
    role: 'viewer',
    fromSettings: false,
    secondFactor: false,
    lastSignInAt: null,
    invitedBy: 'bosun',
    since: '2026-11-02T10:00:00.000Z',
  },
]

export const administratorInvitations = (): AdministratorInvitation[] => [
  {
    id: 'inv_a',
    email: 'sena@windlass.example',
    role: 'viewer',
    invitedBy: 'bosun',
    createdAt: '2026-11-20T10:00:00.000Z',
    expiresAt: '2026-11-27T10:00:00.000Z',
  },
]

export const home = (): AnswerOf<typeof getAdminHome> => ({
  applications: { waiting: 3, oldest: ago(200) },
  jobs: { failed: 1, stalled: 0, running: 1 },
  anchors: [
    { status: 'active', count: 12 },
    { status: 'suspended', count: 1 },
  ],
  alerts: [
    {
      ...{ id: 'ntf_1', kind: 'treasury-low', subject: 'treasury', detail: 'The treasury holds 5 HARB.' },
      ...{ startedAt: ago(30), endedAt: null, anchor: { id: anchor(0).id, subdomain: 'harbour' } },
    },
    {
      ...{ id: 'ntf_2', kind: 'funding-low', subject: 'funding', detail: 'The account has 3 XLM.' },
      ...{ startedAt: ago(90), endedAt: null, anchor: null },
    },
  ],
})

export const volume = (): AnswerOf<typeof getVolume> => ({
  at: ago(0),
  days: Array.from({ length: 14 }, (_, at) => ({
    day: `2026-11-${String(at + 7).padStart(2, '0')}`,
    deposits: (at * 5) % 9,
    withdrawals: (at * 3) % 5,
  })),
  assets: [
    {
      anchor: { id: anchor(0).id, subdomain: 'harbour' },
      code: 'HARB',
      deposits: { count: 52, amount: '104250.5' },
      withdrawals: { count: 27, amount: '61020' },
    },
  ],
  rails: [
    { rail: 'SEPA', currency: 'EUR', in: '40100.25', out: '12000' },
    { rail: 'UPI', currency: 'INR', in: '5204300', out: '4100250' },
  ],
  missing: [{ id: anchor(2).id, subdomain: 'monsoon' }],
})

/** What the link of an invitation shows. */
export const invitationOfSena = {
  email: 'sena@windlass.example',
  role: 'viewer' as const,
  invitedBy: 'bosun',
  expiresAt: '2026-11-27T10:00:00.000Z',
}

export const refusedMessages: RefusedMessage[] = [
  {
    ...{ id: '41', topic: 'sync-anchor', key: 'anc_1:5b0c', code: 'validation-failed', attempts: 9 },
    detail: '400 validation-failed: rails must name at least one rail',
    writtenAt: '2026-11-20T09:00:00.000Z',
    since: '2026-11-20T09:02:00.000Z',
    nextAt: '2026-11-20T10:10:00.000Z',
  },
]

/** Kinds of emails, as the platform lists them. */
export const emails: EmailSample[] = [
  {
    name: 'application-received',
    recipients: ['applicant'],
    versions: [
      {
        language: 'en',
        subject: 'We received your application for an anchor',
        text: 'Hello,\n\nYour application ID: app_sample\n',
      },
      {
        language: 'es',
        subject: 'Recibimos su solicitud de un anchor',
        text: 'Hola:\n\nEl ID de su solicitud: app_sample\n',
      },
    ],
  },
  {
    name: 'sign-in-code',
    recipients: ['operator', 'customer'],
    versions: [
      { language: 'en', subject: '123456 is your sign-in code', text: 'Hello,\n\n123456\n' },
      { language: 'es', subject: '123456 es su código para iniciar sesión', text: 'Hola:\n\n123456\n' },
    ],
  },
]

/** The HTML of an email in this language. */
export const emailPage = (language: string | null): string =>
  `<!doctype html><html lang="${language}"><title>Email</title><body style="margin:0;padding:24px;background:#f7fafb"><p style="color:#10202b">${
    language === 'es' ? 'El ID de su solicitud' : 'Your application ID'
  }: app_sample</p></body></html>`
