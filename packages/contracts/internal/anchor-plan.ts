import Type, { type Static } from 'typebox'
import { Amount } from '../common.ts'

export const RailVersion = Type.Object({
  rail: Type.String({ maxLength: 32 }),
  credentials: Type.String({ maxLength: 200 }),
})
export type RailVersion = Static<typeof RailVersion>

/** The complete definition of an anchor, fixed when its invitation is redeemed, defaults included; two people may change its rails. */
export const AnchorPlan = Type.Object({
  anchorId: Type.String({ pattern: '^[a-z0-9]{16,40}$' }),
  organizationName: Type.String({ maxLength: 200 }),
  businessEmail: Type.String({ maxLength: 254 }),
  website: Type.Optional(Type.String({ maxLength: 500 })),
  subdomain: Type.String(),
  /** With the port where it is not 80 or 443. */
  homeDomain: Type.String(),
  asset: Type.Object({
    code: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }),
    /** `G…`: an existing asset's; `native`: XLM. Absent: the anchor issues the asset itself. */
    issuer: Type.Optional(Type.String({ pattern: '^(native|G[A-Z2-7]{55})$' })),
    name: Type.String({ maxLength: 100 }),
    /** ISO 4217 code or asset that one unit is pegged to. */
    anchoredTo: Type.String({ maxLength: 12 }),
    /** 0 for an existing asset. */
    issued: Amount,
  }),
  /** Existing assets that the anchor serves beside the first one. */
  furtherAssets: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }),
        issuer: Type.String({ pattern: '^G[A-Z2-7]{55}$' }),
        name: Type.String({ maxLength: 100 }),
        anchoredTo: Type.String({ maxLength: 12 }),
      }),
      { minItems: 1, maxItems: 4 },
    ),
  ),
  rails: Type.Array(Type.String({ maxLength: 32 }), { minItems: 1, maxItems: 16 }),
  regions: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { minItems: 1, maxItems: 250 }),
  settlement: Type.Enum(['instant', 'under_60_minutes']),
  /** `percentage` is a fraction: 0.005 is half a percent. */
  fees: Type.Object({ fixed: Amount, percentage: Type.String({ maxLength: 40 }) }),
  limits: Type.Object({ min: Amount, max: Amount }),
  /** The name in the secrets store of the rail credentials; absent where the founder gave none. */
  railCredentials: Type.Optional(Type.String({ maxLength: 200 })),
  /** Changes after the application, oldest first: for each one the rail and the name of its credentials in the secrets store. */
  railVersions: Type.Optional(Type.Array(RailVersion, { maxItems: 1_000 })),
})
export type AnchorPlan = Static<typeof AnchorPlan>
