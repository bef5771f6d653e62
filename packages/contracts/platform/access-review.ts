import Type, { type Static } from 'typebox'
import { Id, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { areas } from '../realm.ts'
import { ApiKeyScope } from './api-keys.ts'
import { Member } from './members.ts'

const Reviewed = Type.Object({
  ...Member.properties,
  /** In which parts of the business they act; all of them, and more, for owners and admins. */
  actsIn: Type.Array(Type.Enum([...areas])),
  /** Whether they see hits and cases of compliance. */
  seesCompliance: Type.Boolean(),
  /** The last one in 30 days; null: none. */
  lastSignInAt: Nullable(Time),
  hasSecondFactor: Type.Boolean(),
})

const ReviewedKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ApiKeyScope),
  /** `operator:<id>` */
  createdBy: Type.String(),
  /** Null: they are no longer of the organization. */
  creator: Nullable(Type.String()),
  createdAt: Time,
  expiresAt: Nullable(Time),
  lastUsedAt: Nullable(Time),
})

/** Who can do what at an anchor, people and keys that have not ended, for a review that is kept. */
export const AccessReview = Type.Object({
  at: Time,
  organization: Type.String(),
  anchor: Type.String(),
  people: Type.Array(Reviewed, { maxItems: 1_000 }),
  keys: Type.Array(ReviewedKey, { maxItems: 100 }),
})
export type AccessReview = Static<typeof AccessReview>

/** Each review is recorded. */
export const getAccessReview = endpoint('GET /api/v1/anchors/:anchorId/access-review', {
  realm: 'operator',
  who: 'admin',
  summary: 'Who can do what at the anchor: people with their roles, keys with their scopes and who made them',
  params: Type.Object({ anchorId: Id }),
  response: { 200: AccessReview },
})
