/**
 * Every problem Windlass answers (RFC 9457): stable code, HTTP status, title. Each has a page of its own name
 * under docs/problems, which `type` points to.
 */
export const problems = {
  // every endpoint
  'validation-failed': { status: 400, title: 'The request has wrong or missing values' },
  'malformed-request': { status: 400, title: 'The request cannot be read' },
  'duplicate-cookie': { status: 400, title: 'A session cookie was sent twice' },
  unauthenticated: { status: 401, title: 'A valid credential is needed' },
  'forbidden-origin': { status: 403, title: 'This origin may not write with a session cookie' },
  forbidden: { status: 403, title: 'This credential has no permission for this request' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'method-not-allowed': { status: 405, title: 'This address does not support this method' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'head-too-large': { status: 431, title: 'The request headers are too large' },
  'body-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'This content type is not supported' },
  'idempotency-key-in-flight': { status: 409, title: 'A request with this Idempotency-Key has not finished' },
  'idempotency-key-secret': { status: 409, title: 'The response contained a secret and is not repeated' },
  'idempotency-key-reused': { status: 422, title: 'This Idempotency-Key was used with another body' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'internal-error': { status: 500, title: 'Something went wrong on our side' },
  'dependency-unavailable': { status: 503, title: 'A required service is not available' },

  // the reverse proxy, and pages for this machine only
  'no-such-host': { status: 404, title: 'Nothing is served at this host' },
  'route-not-changeable': { status: 409, title: 'This route is set by the operator' },
  'upstream-unreachable': { status: 502, title: 'The server behind this address is unreachable' },
  'upstream-timeout': { status: 504, title: 'The server behind this address took too long' },
  'foreign-host': { status: 403, title: 'This page is for this machine only' },

  // applications, invitations, provisioning
  'application-not-found': { status: 404, title: 'No such application' },
  'application-already-reviewed': { status: 409, title: 'The application was already reviewed' },
  'invitation-not-found': { status: 404, title: 'No such invitation' },
  'invitation-gone': { status: 410, title: 'The invitation was used, revoked or has expired' },
  'invitation-not-revocable': { status: 409, title: 'The invitation can no longer be changed' },
  'subdomain-not-allowed': { status: 400, title: 'This subdomain cannot be used' },
  'subdomain-taken': { status: 409, title: 'This subdomain is taken' },
  'job-not-found': { status: 404, title: 'No such provisioning job' },
  'job-not-retryable': { status: 409, title: 'The provisioning job is completed or making progress' },

  // signing in
  'login-failed': { status: 401, title: 'The credentials are wrong' },
  'code-not-accepted': { status: 401, title: 'The code is wrong, used or expired' },
  'confirmation-needed': { status: 403, title: 'This action needs a fresh confirmation' },
  'confirmation-refused': { status: 403, title: 'The confirmation failed' },
  'role-needed': { status: 403, title: 'Your role does not allow this' },
  'already-an-administrator': { status: 409, title: 'This person is already an administrator' },
  'administrator-not-found': { status: 404, title: 'No such administrator' },
  'owner-from-settings': { status: 409, title: 'This owner is defined in the settings' },
  'second-factor-needed': { status: 403, title: 'The sign-in waits for a second factor' },
  'second-factor-enrolment-needed': { status: 403, title: 'A second factor has to be added first' },
  'second-factor-refused': { status: 403, title: 'The second factor is wrong' },
  'second-factor-not-found': { status: 404, title: 'No such second factor' },
  'second-factor-limit': { status: 409, title: 'No further second factor of this kind' },
  'second-factor-required': { status: 409, title: 'The last second factor cannot be removed' },
  'session-expired': { status: 401, title: 'The session has ended' },
  'anchor-not-found': { status: 404, title: 'No such anchor' },
  'external-anchor-refused': { status: 422, title: 'This anchor cannot be registered' },
  'anchor-wrong-state': { status: 409, title: "The anchor's status does not allow this" },

  // an anchor's life
  'release-not-found': { status: 404, title: 'There is no such release' },
  'anchor-has-open-transfers': { status: 409, title: 'The anchor has open transfers' },
  'anchor-holds-units': { status: 409, title: 'The anchor holds units of an existing asset' },
  'removal-not-found': { status: 404, title: 'No removal of this anchor was requested' },

  // the signer
  'signature-refused': { status: 403, title: 'The signer does not sign this' },
  'signing-limit-reached': { status: 429, title: 'The signing limit is reached' },

  // workspaces
  'api-key-not-found': { status: 404, title: 'No such API key' },
  'organization-not-found': { status: 404, title: 'No such organization' },
  'member-not-found': { status: 404, title: 'No such member' },
  'already-a-member': { status: 409, title: 'This person is already a member of the organization' },
  'last-owner': { status: 409, title: 'An organization needs an owner' },

  // customers
  'customer-not-found': { status: 404, title: 'No such customer' },
  'wallet-not-found': { status: 404, title: 'No such wallet' },
  'wallet-login-needed': { status: 403, title: 'The wallet has not signed in at this anchor' },
  'wallet-confirmation-needed': { status: 409, title: 'The customer has not confirmed this wallet yet' },
  'removal-link-gone': { status: 410, title: 'The link was used or has expired' },
  'wallet-taken': { status: 409, title: 'Another customer has proven this address' },
  'name-taken': { status: 409, title: 'Another customer has this name' },
  'wallet-already-linked': { status: 409, title: 'The address is already linked' },
  'proof-not-accepted': { status: 400, title: 'The signed challenge does not prove the wallet' },
  'kyc-already-accepted': { status: 409, title: 'The identity is already verified' },
  'kyc-evidence-needed': { status: 403, title: "The provider's own report is needed as evidence" },
  'webhook-signature-invalid': { status: 401, title: "The webhook's signature is not valid" },

  // an anchor's API for developers
  'transaction-not-found': { status: 404, title: 'No such transaction' },
  'webhook-endpoint-not-found': { status: 404, title: 'No such webhook endpoint' },
  'webhook-delivery-not-found': { status: 404, title: 'No such webhook delivery' },
  'statement-refused': { status: 422, title: 'The statement cannot be read' },
  'statement-already-read': { status: 409, title: 'This statement was read before' },
  'statement-line-not-found': { status: 404, title: 'No such statement line' },
  'statement-line-decided': { status: 409, title: 'The statement line does not wait for a decision' },
  'difference-not-found': { status: 404, title: 'No such difference' },
  'difference-ended': { status: 409, title: 'The difference is not open any more' },
  'payout-not-found': { status: 404, title: 'No such payout waits for a file' },
  'payout-file-not-found': { status: 404, title: 'No such payout file' },
  'payout-file-decided': { status: 409, title: 'The payout file has another status' },
  'rail-change-waiting': { status: 409, title: 'A change of the rail waits' },
  'rail-change-decided': { status: 409, title: 'The change of the rail is decided' },
  'rail-account-wrong': { status: 409, title: 'The account of the rail is wrong' },
  'no-payouts-waiting': { status: 409, title: 'No payout waits for a file' },
  'second-person-needed': { status: 409, title: 'A second person has to approve' },
  'statements-missing': { status: 409, title: 'Statements are missing after a restore' },
  'action-not-found': { status: 404, title: 'No such action' },
  'action-decided': { status: 409, title: 'The action is decided already' },
  'action-not-possible': { status: 409, title: 'This cannot be done now' },
  'sanctions-list-refused': { status: 422, title: 'The sanctions list cannot be read' },
  'sanctions-list-already-loaded': { status: 409, title: 'This sanctions list is loaded already' },
  'screening-hit-not-found': { status: 404, title: 'No such screening hit' },
  'screening-hit-decided': { status: 409, title: 'The screening hit is decided already' },
  'travel-rule-record-not-found': { status: 404, title: 'No sides are kept with this transaction' },
  'settings-changed': { status: 409, title: 'The settings have changed meanwhile' },
  'ledger-incident-not-found': { status: 404, title: 'No such ledger incident' },
  'reset-not-proven': { status: 409, title: 'The ledger does not prove the reset' },

  // the aggregator
  'unsupported-pair': { status: 400, title: 'There is no rate for this pair' },
  'no-eligible-anchor': { status: 404, title: 'No anchor can take this transaction' },
  'quote-not-found': { status: 404, title: 'No such quote' },
  'reservation-limit': { status: 409, title: 'No anchor can reserve this amount now' },
  'amount-outside-limits': { status: 409, title: "The amount is outside the anchor's limits" },
  'quote-expired': { status: 410, title: 'The quote has expired' },
  'decision-not-found': { status: 404, title: 'No such routing decision' },
  'policy-not-found': { status: 404, title: 'No such routing policy' },
  'discovery-unreachable': { status: 502, title: "The anchor's discovery file cannot be read" },
  'discovery-mismatch': { status: 502, title: "The anchor's discovery file contradicts the registry" },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems
