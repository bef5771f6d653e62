import Type, { type Static } from 'typebox'

// Limits as in the API reference of AWS Secrets Manager.
const Name = Type.String({ minLength: 1, maxLength: 512, pattern: '^[A-Za-z0-9/_+=.@-]+$' })
const SecretId = Type.String({ minLength: 1, maxLength: 2048 })
const Token = Type.String({ minLength: 32, maxLength: 64, pattern: '^[\\x21-\\x7e]+$' })
const Description = Type.String({ maxLength: 2048 })
const Stage = Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\x00]+$' })
const Tag = Type.Object({
  Key: Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\x00]+$' }),
  Value: Type.Optional(Type.String({ maxLength: 256, pattern: '^[^\\x00]*$' })),
})
const Tags = Type.Array(Tag, { maxItems: 50 })
const Text = Type.String({ maxLength: 400_000 })
const value = { SecretString: Type.Optional(Text), SecretBinary: Type.Optional(Text) }

export const CreateSecret = Type.Object({
  Name,
  ClientRequestToken: Type.Optional(Token),
  Description: Type.Optional(Description),
  KmsKeyId: Type.Optional(Type.String({ maxLength: 2048 })),
  Tags: Type.Optional(Tags),
  ...value,
})
export const GetSecretValue = Type.Object({
  SecretId,
  VersionId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  VersionStage: Type.Optional(Stage),
})
export const PutSecretValue = Type.Object({
  SecretId,
  ClientRequestToken: Type.Optional(Token),
  VersionStages: Type.Optional(Type.Array(Stage, { minItems: 1, maxItems: 20 })),
  ...value,
})
export const UpdateSecret = Type.Object({
  SecretId,
  ClientRequestToken: Type.Optional(Token),
  Description: Type.Optional(Description),
  KmsKeyId: Type.Optional(Type.String({ maxLength: 2048 })),
  ...value,
})
export const UpdateSecretVersionStage = Type.Object({
  SecretId,
  VersionStage: Stage,
  RemoveFromVersionId: Type.Optional(Type.String({ maxLength: 64 })),
  MoveToVersionId: Type.Optional(Type.String({ maxLength: 64 })),
})
export const DeleteSecret = Type.Object({
  SecretId,
  RecoveryWindowInDays: Type.Optional(Type.Integer()),
  ForceDeleteWithoutRecovery: Type.Optional(Type.Boolean()),
})
export const OneSecret = Type.Object({ SecretId })
export const TagResource = Type.Object({ SecretId, Tags })
export const UntagResource = Type.Object({ SecretId, TagKeys: Type.Array(Type.String(), { maxItems: 50 }) })
export const ListSecretVersionIds = Type.Object({
  SecretId,
  IncludeDeprecated: Type.Optional(Type.Boolean()),
})
export const ListSecrets = Type.Object({
  MaxResults: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  NextToken: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  IncludePlannedDeletion: Type.Optional(Type.Boolean()),
  SortOrder: Type.Optional(Type.Enum(['asc', 'desc'])),
  SortBy: Type.Optional(Type.Enum(['created-date', 'last-accessed-date', 'last-changed-date', 'name'])),
  Filters: Type.Optional(
    Type.Array(
      Type.Object({
        Key: Type.Enum([
          'description',
          'name',
          'tag-key',
          'tag-value',
          'primary-region',
          'owning-service',
          'all',
        ]),
        Values: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { minItems: 1, maxItems: 10 }),
      }),
      { maxItems: 10 },
    ),
  ),
})

export type CreateSecret = Static<typeof CreateSecret>
export type GetSecretValue = Static<typeof GetSecretValue>
export type PutSecretValue = Static<typeof PutSecretValue>
export type UpdateSecret = Static<typeof UpdateSecret>
export type UpdateSecretVersionStage = Static<typeof UpdateSecretVersionStage>
export type DeleteSecret = Static<typeof DeleteSecret>
export type OneSecret = Static<typeof OneSecret>
export type TagResource = Static<typeof TagResource>
export type UntagResource = Static<typeof UntagResource>
export type ListSecrets = Static<typeof ListSecrets>
export type ListSecretVersionIds = Static<typeof ListSecretVersionIds>
