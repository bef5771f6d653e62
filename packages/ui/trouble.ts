/** A failure in words for the person in front of it. */
export interface Trouble {
  /** `expired`: the session is over. `forbidden`: signed in, not allowed. `unreachable`: no answer at all. */
  kind: 'unreachable' | 'expired' | 'forbidden' | 'missing' | 'refused' | 'broken'
  title: string
  detail: string
  /** What support can look up. */
  requestId?: string
}
