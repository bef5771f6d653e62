import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { SessionRequest } from '../provider.ts'

export interface MockSession {
  id: string
  customer_id: string
  return_url: string | null
  verdict: 'APPROVED' | 'DECLINED'
  forged: boolean
  /** The name on the document that it plays; null: it says none. */
  full_name: string | null
  due_at: Date | number
  completed_at: Date | null
  attempts: number
  delivered_at: Date | null
  last_status: number | null
}

/** Long enough to choose something else on the page. */
const APPROVES_AFTER_SECONDS = 5

export async function openSession(pool: pg.Pool, request: SessionRequest): Promise<string> {
  const id = `mock_${randomBytes(16).toString('base64url')}`
  await pool.query(
    `insert into mock_kyc_sessions (id, customer_id, return_url, due_at)
     values ($1, $2, $3, now() + $4 * interval '1 second')`,
    [id, request.customerId, request.returnUrl ?? null, APPROVES_AFTER_SECONDS],
  )
  return id
}

export async function findSession(pool: pg.Pool, id: string): Promise<MockSession | null> {
  const { rows } = await pool.query<MockSession>('select * from mock_kyc_sessions where id = $1', [id])
  return rows[0] ?? null
}

export type Choice = 'approve' | 'other-name' | 'decline' | 'delay' | 'bad-signature'
export const choices: readonly Choice[] = ['approve', 'other-name', 'decline', 'delay', 'bad-signature']

/** On the document of who chooses another name. */
export const OTHER_NAME = 'Alexandra Example'

/** What the person at the page chose. A session that has been reported is left as it is. */
export async function choose(pool: pg.Pool, id: string, choice: Choice): Promise<void> {
  await pool.query(
    `update mock_kyc_sessions set
       verdict = case when $2 = 'decline' then 'DECLINED' else 'APPROVED' end,
       forged = $2 = 'bad-signature',
       full_name = case when $2 = 'other-name' then $3 end,
       due_at = now() + case when $2 = 'delay' then interval '60 seconds' else interval '0' end
     where id = $1 and delivered_at is null`,
    [id, choice, OTHER_NAME],
  )
}

/** Takes what is due, for 30 seconds, and settles its time of completion on the first attempt. */
export async function takeDue(pool: pg.Pool): Promise<MockSession[]> {
  const { rows } = await pool.query<MockSession>(
    `update mock_kyc_sessions set
       attempts = attempts + 1,
       completed_at = coalesce(completed_at, date_trunc('milliseconds', now())),
       due_at = now() + least(30, power(2, least(attempts, 5))) * interval '1 second'
     where id in (
       select id from mock_kyc_sessions where delivered_at is null and due_at <= now()
       order by due_at limit 20 for update skip locked)
     returning *`,
  )
  return rows
}

/** Remembers the receiver's answer; a forged report is over with its refusal. */
export async function noteDelivery(pool: pg.Pool, id: string, status: number): Promise<void> {
  await pool.query(
    `update mock_kyc_sessions set last_status = $2,
       delivered_at = case when $2 between 200 and 299 or forged then now() end
     where id = $1`,
    [id, status],
  )
}
