/** All rows of the secrets store. */
export interface Tables {
  secrets: SecretRow
}

export interface SecretRow {
  arn: string
  name: string
  /** AWS' id of the current value: the caller's token. */
  version_id: string
  sealed: Buffer
  created_at: Date
  /** When the current value was set. */
  changed_at: Date
}
