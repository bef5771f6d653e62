import type {
  HitDecision,
  SanctionsList,
  ScreeningHit,
  VelocityRule,
} from '@windlass/contracts/anchor/compliance.ts'
import type { Case } from '@windlass/contracts/anchor/cases.ts'
import type { Agreement, SendingAnchor } from '@windlass/contracts/anchor/sending-anchors.ts'
import type { TravelInquiry } from '@windlass/contracts/anchor/travel-messages.ts'
import type { TravelRuleSettings } from '@windlass/contracts/anchor/travel-rule.ts'
import * as cases from '@windlass/contracts/platform/workspace-cases.ts'
import * as contracts from '@windlass/contracts/platform/workspace-compliance.ts'
import { getWorkspaceReportSettings } from '@windlass/contracts/platform/workspace-report-settings.ts'
import { listWorkspaceBeneficialOwners } from '@windlass/contracts/platform/workspace-beneficial-owners.ts'
import * as registers from '@windlass/contracts/platform/workspace-registers.ts'
import * as agreements from '@windlass/contracts/platform/workspace-sending-anchors.ts'
import { Refusal, type FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

const AT = '2026-11-20T10:00:00.000Z'

const list: SanctionsList = {
  ...{ version: 4, source: 'OFAC', format: 'ofac-xml', fileName: 'sdn.xml', publishedOn: '2026-11-19' },
  ...{ sha256: '9f86d081884c7d659a2feaa0c55ad015', entries: 17_214, names: 38_902, current: true },
  ...{ by: 'operator:someone', at: AT },
}
const TRANSACTION = 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11'
const hit: ScreeningHit = {
  ...{ id: 'hit_1', subject: { kind: 'customer', id: 'cus_1' }, velocity: null, status: 'waiting' },
  match: {
    ...{ name: 'Kadir Testow', role: 'verified', source: 'OFAC', listVersion: 4, entryId: '7157' },
    ...{ entryName: 'Qadir TESTOV', detail: 'SDGT; born 10 Mar 1957', score: 0.912 },
  },
  names: { told: 'Brand New', verified: 'Kadir Testow' },
  ...{ transactions: [TRANSACTION], decisions: [], createdAt: AT },
}
const rule: VelocityRule = { kind: 'below-limit', hours: 48, count: 2, amount: '1000' }
const beyond: ScreeningHit = {
  ...hit,
  ...{ id: 'hit_2', match: null, names: null, subject: { kind: 'transaction', id: TRANSACTION } },
  velocity: {
    ...{ rule, count: 3, amount: '2985.5' },
    transfers: [
      { id: TRANSACTION, direction: 'deposit', amount: '995.5', at: AT },
      { id: 'c7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e12', direction: 'deposit', amount: '995', at: AT },
      { id: 'd7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e13', direction: 'withdrawal', amount: '995', at: AT },
    ],
  },
}

/** What a browser asked for. */
interface ScreeningState {
  decided: HitDecision[]
  loaded: string[]
  agreements: SendingAnchor[]
  rules: VelocityRule[]
  travelRule: TravelRuleSettings
  inquiries: { decision: string }[]
}

const inquiry: TravelInquiry = {
  ...{ id: 'i1', direction: 'received', protocol: 'trp', state: 'waiting', transactionId: null },
  ...{ provider: { id: 'p1', name: 'Frankfurt Wallet GmbH' }, amount: '1250', asset: null, document: null },
  ...{ reason: null, by: null, txid: null, failure: null, createdAt: AT, answeredAt: null },
}

/** An anchor with a list, a hit that waits, and a file with far fewer entries than the list. */
export function answerScreening(platform: FakePlatform): ScreeningState {
  const state: ScreeningState = {
    decided: [],
    loaded: [],
    agreements: [],
    rules: [],
    inquiries: [],
    travelRule: {
      ...{ threshold: null, lei: null, country: null, corridors: [] },
      ...{ ownershipAbove: null, waitsForAnswer: true },
    },
  }
  platform.answer(contracts.getWorkspaceScreening, () => ({
    ...{ threshold: 0.85, lists: [list, { ...list, version: 2, current: false }] },
    ...{ waiting: 1, outdated: 0 },
  }))
  platform.answer(contracts.listWorkspaceScreeningHits, () => (state.decided.length > 0 ? [] : [hit, beyond]))
  platform.answer(contracts.getWorkspaceBlockedProperty, () => ({
    holder: { name: 'Mumbai Pay', homeDomain: 'mumbai.example', website: null, email: 'ops@mumbai.example' },
    ...{ totals: [], property: [], at: AT },
  }))
  platform.answer(contracts.decideWorkspaceScreeningHit, ({ body }) => {
    state.decided.push(body as HitDecision)
    return { ...hit, status: 'cleared' as const }
  })
  const velocity = () => ({
    history:
      state.rules.length > 0 ? [{ version: 1, rules: state.rules, by: 'operator:someone', at: AT }] : [],
  })
  platform.answer(contracts.getWorkspaceVelocityRules, velocity)
  platform.answer(contracts.setWorkspaceVelocityRules, ({ body }) => {
    state.rules = (body as { rules: VelocityRule[] }).rules
    return velocity()
  })
  const travelRule = () => ({
    history: [{ version: 1, settings: state.travelRule, by: 'operator:someone', at: AT }],
  })
  platform.answer(contracts.getWorkspaceTravelRule, travelRule)
  platform.answer(contracts.setWorkspaceTravelRule, ({ body }) => {
    state.travelRule = (body as { settings: TravelRuleSettings }).settings
    return travelRule()
  })
  platform.answer(contracts.loadWorkspaceSanctionsList, ({ query }) => {
    if (query.get('smaller') !== 'true')
      return new Refusal(
        'sanctions-list-refused',
        'The list has 7 entries, and the one that is loaded 17214. It may be a part of a file.',
      )
    state.loaded.push(query.get('fileName') ?? '')
    return list
  })
  platform.answer(contracts.listWorkspaceTravelProviders, () => ({
    travelAddress: 'ta2W2HPKfHxgSgrzY178knqXHg1H3jfeQrwQ9JrKBs9wv',
    providers: [
      {
        ...{
          id: 'p1',
          name: 'Frankfurt Wallet GmbH',
          lei: '529900T8BM49AURSDO55',
          country: 'DE',
          licence: 'BaFin 7',
        },
        ...{
          agreedOn: '2026-10-01',
          travelAddress: 'ta42ZEr7rdvSpGnVvnttK1bWYQU4f4f',
          domains: [],
          accounts: [],
        },
        ...{ by: 'operator:someone', at: AT },
      },
    ],
  }))
  platform.answer(contracts.listWorkspaceTravelInquiries, () => [
    inquiry,
    { ...inquiry, id: 'i2', state: 'approved' as const, failure: 'refused' as const },
  ])
  platform.answer(contracts.decideWorkspaceTravelInquiry, ({ body }) => {
    state.inquiries.push(body as { decision: string })
    return new Refusal('travel-inquiry-answered', 'It is answered already.')
  })
  const whole = { limitPercent: 100, asksSourceOfFunds: false, reviewMonths: 36 }
  platform.answer(contracts.getWorkspaceRiskRules, () => ({
    history: [
      {
        ...{ version: 0, by: null, at: null },
        rules: {
          rules: [{ when: 'high-risk-country' as const, rating: 'high' as const }],
          measures: { low: whole, normal: whole, high: { ...whole, reviewMonths: 12 } },
        },
      },
    ],
  }))
  platform.answer(contracts.listWorkspaceCustomerRatings, () => [
    {
      ...{ customer: 'cus_1', rating: 'high' as const, reasons: ['high-risk-country' as const] },
      ...{ atLeast: null, note: null, by: 'rules', rulesVersion: 0, reviewOn: '2027-11-20', at: AT },
    },
  ])
  platform.answer(contracts.getWorkspaceOutsideChecks, () => ({
    checks: (['person', 'wallet'] as const).map(kind => ({
      ...{ kind, url: null, version: 0, by: null, at: null, answers: 0, lastAnswerAt: null },
    })),
  }))
  platform.answer(registers.listWorkspaceRegister, () => [])
  platform.answer(listWorkspaceBeneficialOwners, () => [])
  platform.answer(contracts.getWorkspaceRetention, () => ({
    history: [{ version: 0, rules: { customerYears: 5, travelRecordYears: 5 }, by: null, at: null }],
    kept: 2,
    removals: [{ kind: 'customer' as const, count: 3, before: '2021-11-20T10:00:00.000Z', at: AT }],
  }))
  platform.answer(getWorkspaceReportSettings, () => ({
    ...{ version: 0, goaml: null, schema: null, by: null, at: null },
  }))
  platform.answer(contracts.replayWorkspaceVelocityRule, () => ({
    ...{ transfers: 120, since: AT, held: 3, examples: [] },
  }))
  platform.answer(contracts.getWorkspaceCountryRules, () => ({
    history: [
      {
        ...{ version: 0, by: null, at: null },
        rules: { prohibited: ['IR', 'KP'], highRisk: ['MM'], asksResidence: true },
      },
    ],
  }))
  const found: Case = {
    ...{ id: 'case_1', subject: hit.subject, status: 'open', outcome: null, assignedTo: 'operator:usr_1' },
    ...{
      dueOn: '2026-11-25',
      isOverdue: false,
      openedBy: 'screening',
      openedAt: AT,
      closedAt: null,
      hits: 1,
    },
  }
  platform.answer(cases.listWorkspaceCases, () => [found])
  platform.answer(cases.getWorkspaceCase, () => ({
    ...{ case: found, hits: [hit], linked: [] },
    steps: [{ kind: 'noted' as const, text: 'Asked for a passport.', by: 'operator:usr_1', at: AT }],
  }))
  platform.answer(agreements.listWorkspaceSendingAnchors, () => state.agreements)
  platform.answer(agreements.putWorkspaceSendingAnchor, ({ params, body }) => {
    const added = { account: params.account ?? '', createdAt: AT, ...(body as Agreement) }
    state.agreements = [added]
    return added
  })
  platform.answer(agreements.deleteWorkspaceSendingAnchor, () => {
    state.agreements = []
    return undefined
  })
  return state
}
