/** One environment variable that operators may set. `NAME_FILE` names a file with its value instead. */
export interface Setting {
  name: string
  group: string
  /** What it does, in a sentence without a full stop. */
  summary: string
  /** Shown in the documentation. */
  default?: string
  /** A secret, and the only parts that receive it. Other settings go to every part. */
  secretOf?: readonly string[]
  /**
   * What the generated base env file holds is for a developer's machine: outside DEPLOYMENT=local the operator has to
   * set it. The text says what a good value is.
   */
  decide?: string
}

export function group(name: string, settings: Omit<Setting, 'group'>[]): Setting[] {
  return settings.map(setting => ({ ...setting, group: name }))
}

// Parts that receive secrets.
export const PLATFORM = ['platform-api']
export const CONTROL = ['control-plane']
export const SIGNER = ['signer']
