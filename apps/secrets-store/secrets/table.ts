import type { ColumnType, Selectable } from 'kysely'

export interface Tag {
  Key: string
  Value?: string
}

export interface SecretTable {
  arn: string
  name: string
  description: string | null
  kms_key_id: string | null
  tags: ColumnType<Tag[], string, string>
  created_at: Date
  changed_at: Date
  /** A day in UTC, such as `2026-03-01`. */
  accessed_on: string | null
  delete_after: Date | null
}

export interface VersionTable {
  arn: string
  version_id: string
  kind: 'string' | 'binary'
  sealed: Buffer
  created_at: Date
}

export interface StageTable {
  arn: string
  stage: string
  version_id: string
}

export type Secret = Selectable<SecretTable>
export type Version = Selectable<VersionTable>
