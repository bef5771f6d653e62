import Type, { type Static } from 'typebox'
import { Id, Nullable, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** What a test deposit does, in order. */
export const testSteps = ['discovery', 'login', 'wallet', 'deposit', 'pages', 'payment'] as const
export const TestStep = Type.Enum([...testSteps])
export type TestStep = Static<typeof TestStep>

/** One request that the test wallet sent to the anchor or the ledger. Tokens are shortened, bodies cut. */
export const TestRequest = Type.Object({
  step: TestStep,
  method: Type.String({ maxLength: 10 }),
  url: Type.String({ maxLength: 2000 }),
  body: Nullable(Type.String({ maxLength: 4000 })),
  /** Null: no complete answer came. */
  status: Nullable(Type.Integer()),
  /** The answer's body, or why there was none. */
  answer: Type.String({ maxLength: 4000 }),
  durationMs: Type.Integer({ minimum: 0 }),
})
export type TestRequest = Static<typeof TestRequest>

/** A deposit by a wallet that the platform holds for the anchor, from discovery (SEP-1) to the asset in the wallet. */
export const TestDeposit = Type.Object({
  id: Type.String(),
  state: Type.Enum(['waiting', 'running', 'completed', 'failed']),
  /** The wallet's account, `G…`. */
  account: Type.String(),
  rail: Type.String(),
  /** In asset units. */
  amount: Type.String(),
  /** The anchor's id of the transaction; null before there is one. */
  transactionId: Nullable(Type.String()),
  /** Why it failed. */
  failure: Nullable(Type.String()),
  requests: Type.Array(TestRequest, { maxItems: 60 }),
  startedAt: Time,
  endedAt: Nullable(Time),
})
export type TestDeposit = Static<typeof TestDeposit>

const Params = Type.Object({ anchorId: Id })
const Latest = Type.Object({ latest: Nullable(TestDeposit) })

/** The platform to the control plane. The account is the same at every call. */
export const ensureTestWallet = endpoint('PUT /anchors/:anchorId/test-wallet', {
  realm: 'service',
  summary: "The account of the anchor's test wallet, which is created once",
  params: Params,
  response: { 200: Type.Object({ account: Type.String() }) },
  problems: ['anchor-not-found'],
})

/** The platform to the control plane. One that is under way is the answer. */
export const requestTestDeposit = endpoint('POST /anchors/:anchorId/test-deposits', {
  realm: 'service',
  summary: 'Starts a deposit of the test wallet over a simulated rail',
  params: Params,
  body: Type.Object({ rail: Text(40) }),
  response: { 202: TestDeposit },
  problems: ['anchor-not-found', 'anchor-wrong-state'],
})

export const getControlPlaneTestDeposit = endpoint('GET /anchors/:anchorId/test-deposits', {
  realm: 'service',
  summary: "The anchor's last test deposit",
  params: Params,
  response: { 200: Latest },
})

/**
 * For owners, admins and support, on a test network where identity checks are the mock provider's and the anchor has a
 * simulated rail; else `anchor-wrong-state`. At most ten an hour.
 */
export const startTestDeposit = endpoint('POST /api/v1/anchors/:anchorId/test-deposits', {
  realm: 'operator',
  ...{ area: 'support', who: 'admin' },
  summary: 'Runs a deposit at the anchor as a wallet does, from discovery to the asset in the wallet',
  params: Params,
  response: { 202: TestDeposit },
  problems: ['anchor-wrong-state', 'too-many-requests', 'dependency-unavailable'],
})

export const getTestDeposit = endpoint('GET /api/v1/anchors/:anchorId/test-deposits', {
  realm: 'operator',
  summary: "The anchor's last test deposit, with each request and answer",
  params: Params,
  response: { 200: Type.Object({ ...Latest.properties, available: Type.Boolean() }) },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})
