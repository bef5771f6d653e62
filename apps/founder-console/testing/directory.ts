import {
  getAnchorHealth,
  getAnchorHistory,
  getRegistryEntry,
  listAnchors,
  registerExternalAnchor,
  type RegistryEntry,
  type WalkStep,
} from '@windlass/contracts/aggregator/registry.ts'
import { Refusal, type FakePlatform } from '@windlass/ui/testing/fake-platform.ts'

const AT = '2026-11-20T10:00:00.000Z'
const ISSUER = 'GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB'

export const EXTERNAL: RegistryEntry = {
  id: 'external-0123456789abcdef01234567',
  slug: 'rio-example',
  name: 'Rio Anchor',
  domain: 'rio.example',
  status: 'active',
  regions: ['BR'],
  assets: [
    {
      code: 'TEST',
      issuer: ISSUER,
      anchoredTo: 'USD',
      terms: {
        min: '1',
        max: '5000',
        fees: { fixed: '0.5', percentage: '0.01' },
        prices: { BRL: '5.25' },
      },
    },
  ],
  rails: ['PIX'],
  limits: { min: '1', max: '5000' },
  fees: { fixed: '0', percentage: '1' },
  settlement: 'unknown',
  treasury_capacity: '0',
  current_availability: true,
  domainVerified: true,
  external: { seps: [1, 10, 24, 38], unknown: ['capacity', 'settlement'] },
  lastCheckedAt: AT,
  createdAt: AT,
  updatedAt: AT,
}

export const OWN: RegistryEntry = {
  ...EXTERNAL,
  id: 'a1b2c3d4e5f6g7h8i9j0',
  slug: 'harbour',
  name: 'Harbour Payments Ltd',
  domain: 'harbour.anchors.localhost:8080',
  regions: ['IN', 'DE'],
  assets: [{ code: 'HARB', issuer: ISSUER, anchoredTo: 'USD' }],
  rails: ['UPI', 'SEPA'],
  fees: { fixed: '0.5', percentage: '0.005' },
  settlement: 'instant',
  current_availability: false,
  external: undefined,
}

const steps: WalkStep[] = [
  { step: 'file', ok: true, latencyMs: 40 },
  { step: 'challenge', ok: false, latencyMs: 80, failure: 'status-503' },
]

/** Answers of the aggregator for the public directory. */
export function answerDirectory(platform: FakePlatform): void {
  platform.answer(listAnchors, () => ({ anchors: [EXTERNAL, OWN] }))
  platform.answer(getRegistryEntry, () => ({
    anchor: EXTERNAL,
    uptime: { good: 59, checks: 60, percentage: 98.3333 },
    health: [
      {
        checkedAt: AT,
        current_availability: false,
        latencyMs: 120,
        failure: 'status-503',
        steps,
      },
    ],
  }))
  platform.answer(getAnchorHealth, () => ({
    uptime: { good: 59, checks: 60, percentage: 98.3333 },
    minutes: [{ minute: AT, good: 1, checks: 1, latencyMs: 120 }],
  }))
  platform.answer(getAnchorHistory, () => ({
    days: [{ day: AT.slice(0, 10), good: 5_700, checks: 5_760, latencyMs: 120 }],
  }))
  platform.answer(
    registerExternalAnchor,
    ({ body }) =>
      (body as { homeDomain: string }).homeDomain === 'rio.example'
        ? { anchor: EXTERNAL, steps: steps.slice(0, 1) }
        : new Refusal(
            'external-anchor-refused',
            'A wallet could not use broken.example: challenge: challenge-not-signed. Correct it, then register again.',
          ),
    201,
  )
}
