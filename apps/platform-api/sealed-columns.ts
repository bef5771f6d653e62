import { sealedMessages } from '@windlass/service/work/outbox.ts'
import { sealedProofKeys } from './anchors/proof-keys.ts'
import { sealedSummarySecrets } from './anchors/registry.ts'
import { sealedIdentityKey } from './kyc/same-person.ts'
import { sealedNames } from './kyc/verified-name.ts'
import { sealedWebhookSecrets } from './notifications/webhooks.ts'
import { sealedAddresses } from './mail/customer-emails.ts'
import { sealedAppSecrets } from './second-factors/authenticator-app.ts'
import { sealedSignOnSecrets } from './single-sign-on/providers.ts'
import { sealedWaitingBodies } from './waiting-acts/waiting.ts'

/** Every column that PLATFORM_KEY encrypts. */
export const sealedColumns = [
  sealedProofKeys,
  sealedSummarySecrets,
  sealedAppSecrets,
  sealedWebhookSecrets,
  sealedNames,
  sealedIdentityKey,
  sealedSignOnSecrets,
  sealedWaitingBodies,
  sealedAddresses,
  sealedMessages,
]
