import Type, { type Static } from 'typebox'
import { Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

const AnchorName = Type.Object({ id: Type.String(), subdomain: Type.String() })
/** A sum of many amounts. */
const Sum = Type.String({ pattern: '^-?\\d{1,30}(\\.\\d{1,7})?$' })
const Moved = Type.Object({ count: Type.Integer(), amount: Sum })

/** What anchors say that they moved; none of it is added up over different assets. */
export const Volume = Type.Object({
  /** When anchors were asked: answers of a minute are given again. */
  at: Time,
  /** Transactions of all anchors by day (UTC), oldest first; the last one is today. */
  days: Type.Array(
    Type.Object({ day: Type.String(), deposits: Type.Integer(), withdrawals: Type.Integer() }),
    { maxItems: 90 },
  ),
  /** By anchor and asset, in units of it: what was paid in for it, and what was paid out. */
  assets: Type.Array(
    Type.Object({ anchor: AnchorName, code: Type.String(), deposits: Moved, withdrawals: Moved }),
  ),
  /** Money over each rail, by currency. */
  rails: Type.Array(Type.Object({ rail: Type.String(), currency: Type.String(), in: Sum, out: Sum })),
  /** Not counted: they sleep, or did not answer in time. */
  missing: Type.Array(AnchorName),
})
export type Volume = Static<typeof Volume>

export const getVolume = endpoint('GET /api/v1/admin/volume', {
  realm: 'admin',
  role: 'viewer',
  summary: 'What anchors moved: by day, by asset and by rail',
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })) }),
  response: { 200: Volume },
})
