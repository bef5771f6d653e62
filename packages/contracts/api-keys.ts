import Type, { type Static } from 'typebox'
import { Time } from './common.ts'
import { endpoint } from './endpoint.ts'

/** What a developer API key may do at its anchor. */
export const ApiKeyScope = Type.Enum(['read', 'write', 'webhooks'])
export type ApiKeyScope = Static<typeof ApiKeyScope>

/**
 * An anchor's server asks the platform about a key it was shown. With an anchor's own secret only that anchor's keys
 * are known; a key of another workspace, revoked, expired or malformed is 401.
 */
export const verifyApiKey = endpoint('POST /api/v1/internal/api-keys/verify', {
  realm: 'internal',
  summary: 'Whether a developer API key is good, and for what',
  body: Type.Object({ key: Type.String({ minLength: 1, maxLength: 200 }) }),
  response: {
    200: Type.Object({
      keyId: Type.String(),
      anchorId: Type.String(),
      scopes: Type.Array(ApiKeyScope),
      expiresAt: Type.Union([Time, Type.Null()]),
    }),
  },
  problems: ['unauthenticated'],
})
