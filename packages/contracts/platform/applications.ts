import Type, { type Static, type TProperties } from 'typebox'
import { mostAssets, settlements, textLengths } from './application-fields.ts'
import { AmountInput, Email, Id, Page, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { NEEDS_APPLICATION_ID } from '../limits.ts'
import { Approval } from './invitations.ts'

/** Optional text of a form: an empty field counts as absent. */
const Line = (maxLength: number) => Type.Optional(OneLine(maxLength, 0))

/** Known fields are checked; others are stored as given (at most 32 of them, 4 KB together). */
const open = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: true, maxProperties: 48 })

const { companyProfile: ofCompany, stellarConfig: ofAsset, compliance: ofLicence } = textLengths

export const CompanyProfile = open({
  name: OneLine(ofCompany.name),
  businessEmail: Email,
  contactName: Line(ofCompany.contactName),
  country: Line(ofCompany.country),
  website: Line(ofCompany.website),
  registrationNumber: Line(ofCompany.registrationNumber),
})
export type CompanyProfile = Static<typeof CompanyProfile>

/** An asset that an anchor serves: its own, or with an issuer one that exists. Only the first can be its own, or XLM. */
const ServedAsset = Type.Object({
  code: OneLine(12),
  /** `G…`: of an asset that exists. The anchor holds it and does not issue it. XLM exists without one. */
  issuer: Line(56),
  name: Line(100),
  /** As `anchoredTo` below. */
  anchoredTo: Line(12),
})

/** What the issuer of an existing asset may do; the anchor is possible all the same. */
const AssetWarning = Type.Object({
  /** Its code. */
  asset: Type.String(),
  kind: Type.Enum(['authorization-required', 'revocable', 'clawback']),
})
export type AssetWarning = Static<typeof AssetWarning>

export const StellarConfig = open({
  /** 1 to 12 letters and digits; made from the subdomain where it is absent. */
  assetCode: Line(ofAsset.assetCode),
  assetName: Line(ofAsset.assetName),
  /** What the asset is pegged to: USD, USDC or the currency of one of the rails; USD by default. */
  anchoredTo: Line(ofAsset.anchoredTo),
  /** In place of the fields above: what the anchor serves. At most the first one is its own. */
  assets: Type.Optional(Type.Array(ServedAsset, { minItems: 1, maxItems: mostAssets })),
})
export type StellarConfig = Static<typeof StellarConfig>

/**
 * `credentials`, and every field that is not named here, go to the secrets store and are never returned.
 */
export const PaymentRails = open({
  /** Some of UPI, IMPS, NEFT, SEPA and ACH, in any case; `["UPI"]` by default. */
  rails: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  /** In asset units; the percentage is a fraction (`"0.005"` is half a percent). */
  fee: Type.Optional(
    Type.Object({ fixed: Type.Optional(AmountInput), percentage: Type.Optional(AmountInput) }),
  ),
  limits: Type.Optional(Type.Object({ min: Type.Optional(AmountInput), max: Type.Optional(AmountInput) })),
  settlement: Type.Optional(Type.Enum([...settlements])),
  credentials: Type.Optional(Type.Unknown()),
})
export type PaymentRails = Static<typeof PaymentRails>

export const Compliance = open({
  jurisdiction: Line(ofLicence.jurisdiction),
  licenseNumber: Line(ofLicence.licenseNumber),
  /** ISO 3166-1 alpha-2 codes, in any case; the countries that the rails reach by default. */
  regions: Type.Optional(Type.Array(Type.String({ maxLength: 2 }), { maxItems: 250 })),
})
export type Compliance = Static<typeof Compliance>

/** The part of `paymentRails` that is stored outside the secrets store. */
export const PublicPaymentRails = Type.Omit(PaymentRails, ['credentials'])

export const ApplicationStatus = Type.Enum(['applied', 'approved', 'rejected'])
export type ApplicationStatus = Static<typeof ApplicationStatus>

export const submitApplication = endpoint('POST /api/v1/applications', {
  realm: 'public',
  limit: 'client',
  summary: "Submits a founder's application",
  body: Type.Object({
    companyProfile: CompanyProfile,
    stellarConfig: Type.Optional(StellarConfig),
    paymentRails: Type.Optional(PaymentRails),
    compliance: Type.Optional(Compliance),
  }),
  response: {
    201: Type.Object({
      id: Type.String(),
      status: ApplicationStatus,
      companyProfile: CompanyProfile,
      stellarConfig: StellarConfig,
      compliance: Compliance,
      createdAt: Time,
      warnings: Type.Optional(Type.Array(AssetWarning)),
    }),
  },
  problems: ['too-many-requests'],
  idempotent: 'replay',
})

/** For the page that its sender keeps. Why it was rejected is in an email. */
export const getApplicationStatus = endpoint('GET /api/v1/applications/:id/status', {
  realm: 'public',
  limit: NEEDS_APPLICATION_ID,
  summary: 'How far an application is',
  params: Type.Object({ id: Id }),
  response: { 200: Type.Object({ status: ApplicationStatus }) },
  problems: ['application-not-found'],
})

/** An application as administrators see it: everything the founder entered, except the credentials. */
export const ReviewedApplication = Type.Object({
  id: Type.String(),
  status: ApplicationStatus,
  companyProfile: CompanyProfile,
  stellarConfig: StellarConfig,
  paymentRails: Type.Object(
    {
      rails: Type.Optional(Type.Array(Type.String())),
      fee: Type.Optional(
        Type.Object({ fixed: Type.Optional(Type.String()), percentage: Type.Optional(Type.String()) }),
      ),
      limits: Type.Optional(
        Type.Object({ min: Type.Optional(Type.String()), max: Type.Optional(Type.String()) }),
      ),
      settlement: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  compliance: Compliance,
  /** Whether the secrets store has rail credentials. */
  hasCredentials: Type.Boolean(),
  createdAt: Time,
  reviewedAt: Type.Union([Time, Type.Null()]),
  reviewedBy: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  /** The newest invitation, created by an approval or a reissue. */
  invitation: Type.Union([
    Type.Object({
      id: Type.String(),
      status: Type.Enum(['open', 'used', 'revoked', 'expired']),
      createdAt: Time,
      expiresAt: Time,
    }),
    Type.Null(),
  ]),
})
export type ReviewedApplication = Static<typeof ReviewedApplication>

const ApplicationParams = Type.Object({ id: Id })

export const listApplications = endpoint('GET /api/v1/admin/applications', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Submitted applications, newest first',
  query: Type.Object({ status: Type.Optional(ApplicationStatus), ...Page }),
  response: { 200: Type.Array(ReviewedApplication) },
})

export const getApplication = endpoint('GET /api/v1/admin/applications/:id', {
  realm: 'admin',
  role: 'viewer',
  summary: 'One application',
  params: ApplicationParams,
  response: { 200: ReviewedApplication },
  problems: ['application-not-found'],
})

const approval = {
  realm: 'admin',
  role: 'operator',
  summary: 'Approves an application: creates one invitation and emails the redeem link',
  params: ApplicationParams,
  response: { 200: Approval },
  problems: ['application-not-found', 'application-already-reviewed', 'confirmation-needed'],
  idempotent: 'secret',
} as const

export const approveApplication = endpoint('POST /api/v1/admin/applications/:id/approve', approval)
/** The same under the path of the onboarding flow; also accepts the administrator's cookie. */
export const approveApplicationAlias = endpoint('POST /api/v1/applications/:id/approve', {
  ...approval,
  deprecated: { since: '2026-11-22', use: 'POST /api/v1/admin/applications/{id}/approve' },
})

const rejection = {
  realm: 'admin',
  role: 'operator',
  summary: 'Rejects an application, emails the founder and deletes the rail credentials',
  params: ApplicationParams,
  body: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 2000 })) }),
  response: { 200: Type.Object({ id: Type.String(), status: ApplicationStatus }) },
  problems: ['application-not-found', 'application-already-reviewed', 'confirmation-needed'],
  idempotent: 'replay',
} as const

export const rejectApplication = endpoint('POST /api/v1/admin/applications/:id/reject', rejection)
/** The same under its older path. */
export const rejectApplicationAlias = endpoint('POST /api/v1/applications/:id/reject', {
  ...rejection,
  deprecated: { since: '2026-11-22', use: 'POST /api/v1/admin/applications/{id}/reject' },
})
