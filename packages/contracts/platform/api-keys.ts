import Type, { type Static } from 'typebox'
import { Id, Ok, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import * as realm from '../realm.ts'

/** What a developer API key may do at its anchor. */
export const ApiKeyScope = Type.Enum([...realm.apiKeyScopes])
export type ApiKeyScope = realm.ApiKeyScope

/**
 * An anchor's server asks the platform about a key it received. With an anchor's own secret only that anchor's keys
 * are known; a key of another workspace, revoked, expired or malformed is 401.
 */
export const verifyApiKey = endpoint('POST /api/v1/internal/api-keys/verify', {
  realm: 'internal',
  summary: 'Verifies a developer API key and returns its scopes',
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

/** A key as its workspace sees it: the secret is returned once, when it is created. */
export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** The key's first characters, to tell keys apart. */
  prefix: Type.String(),
  scopes: Type.Array(ApiKeyScope),
  createdAt: Time,
  expiresAt: Type.Union([Time, Type.Null()]),
  lastUsedAt: Type.Union([Time, Type.Null()]),
  revokedAt: Type.Union([Time, Type.Null()]),
})
export type ApiKey = Static<typeof ApiKey>

export const NewApiKey = Type.Object({ ...ApiKey.properties, key: Type.String() })
export type NewApiKey = Static<typeof NewApiKey>

const Workspace = Type.Object({ anchorId: Id })
const Key = Type.Object({ anchorId: Id, id: Id })

export const createApiKey = endpoint('POST /api/v1/anchors/:anchorId/api-keys', {
  realm: 'operator',
  who: 'admin',
  confirm: true,
  summary: "Creates a key for the anchor's API, one of at most 100, and returns it once",
  params: Workspace,
  body: Type.Object({
    name: OneLine(100),
    /** `read`, `write` and `webhooks` by default. Each of the others moves money, and is granted by name. */
    scopes: Type.Optional(
      Type.Array(ApiKeyScope, { minItems: 1, maxItems: realm.apiKeyScopes.length, uniqueItems: true }),
    ),
    expiresAt: Type.Optional(Time),
  }),
  response: { 201: NewApiKey },
  problems: ['second-person-needed'],
  idempotent: 'secret',
})

export const listApiKeys = endpoint('GET /api/v1/anchors/:anchorId/api-keys', {
  realm: 'operator',
  summary: "The workspace's keys, newest first",
  params: Workspace,
  query: Type.Object(Page),
  response: { 200: Type.Array(ApiKey) },
  problems: ['anchor-not-found'],
})

export const revokeApiKey = endpoint('DELETE /api/v1/anchors/:anchorId/api-keys/:id', {
  realm: 'operator',
  who: 'admin',
  confirm: true,
  summary: 'Revokes a key permanently',
  params: Key,
  response: { 200: Ok },
  problems: ['api-key-not-found'],
})

export const rollApiKey = endpoint('POST /api/v1/anchors/:anchorId/api-keys/:id/roll', {
  realm: 'operator',
  who: 'admin',
  confirm: true,
  summary: 'Creates a replacement with the same lifetime; the older key stays valid for the overlap',
  params: Key,
  /** Seconds that the older key stays valid; a day by default. */
  body: Type.Object({ overlapSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000 })) }),
  response: { 201: NewApiKey },
  problems: ['api-key-not-found', 'second-person-needed'],
  idempotent: 'secret',
})

/** What a key did at an anchor: it becomes an entry of the audit log, as a person's act does. */
export const KeyAct = Type.Object({
  /** The act's id: a repeated report adds nothing. */
  id: Id,
  keyId: Id,
  /** `statement-line.decided` */
  action: Text(60),
  details: Type.Record(Type.String(), Type.Unknown()),
  /** `unknown`: the anchor's server ended before the act did. */
  outcome: Type.Enum(['done', 'unknown']),
  at: Time,
})
export type KeyAct = Static<typeof KeyAct>

export const MAX_KEY_ACTS = 50

/** An anchor's server tells what its keys did; may be repeated. */
export const reportKeyActs = endpoint('PUT /api/v1/internal/key-acts', {
  realm: 'internal',
  summary: "Adds what an anchor's API keys did to the audit log",
  body: Type.Object({ acts: Type.Array(KeyAct, { minItems: 1, maxItems: MAX_KEY_ACTS }) }),
  response: { 200: Ok },
  problems: ['forbidden', 'too-many-requests'],
  bodyLimit: 600 * 1024,
})
