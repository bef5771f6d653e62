import type { OutsideAnswer, OutsideCheckKind } from '@windlass/contracts/anchor/outside-checks.ts'
import type { Generated } from 'kysely'

/** The tables that this slice owns. */
export interface OutsideChecksTables {
  outside_check_programs: OutsideProgramTable
  outside_check_answers: OutsideAnswerTable
}

export interface OutsideProgramTable {
  id: string
  kind: OutsideCheckKind
  version: number
  url: string | null
  sealed_secret: Buffer | null
  by: string
  at: Generated<Date>
}

export interface OutsideAnswerTable {
  id: string
  kind: OutsideCheckKind
  program: string
  /** SHA-256 of the question. */
  digest: Buffer
  answer: OutsideAnswer['answer']
  sealed: Buffer
  answered_at: Date
}
