import type pg from 'pg'

/** A file of which an earlier release took lines for bookings that it had already. */
interface FileWithRepeats {
  fileName: string
  rail: string
  account: string
  readAt: string
  bookedFrom: string
  bookedTo: string
  lines: number
  /** Those that were taken for earlier ones. */
  repeated: number
  /** How many of these at least were left out: no earlier file has so many lines of the days of this one. */
  leftOut: number
}

/** A recorded line whose reference says little: bookings of other days looked like it. */
interface LookedAlike {
  bookedOn: string
  direction: string
  amount: string
  currency: string
  bankReference: string
  fileName: string
}

export interface RepeatedLines {
  files: FileWithRepeats[]
  lines: LookedAlike[]
}

const MOST_LINES = 200
/** An anchor that has no such tables yet. */
const NO_SUCH_TABLE = '42P01'

/**
 * The files of an anchor's bank accounts that were compared with earlier ones by the bank's reference alone
 * (docs/adr/0081), where that took lines for earlier ones, and the lines that others were taken for.
 *
 * @param client of the anchor's database, whose tables may be of an earlier release
 */
export async function listRepeatedLines(client: pg.Client): Promise<RepeatedLines> {
  try {
    const { rows: files } = await client.query<FileWithRepeats>(FILES)
    if (files.length === 0) return { files, lines: [] }
    const accounts = [...new Set(files.map(({ account }) => account))]
    const { rows: lines } = await client.query<LookedAlike>(LINES, [accounts, MOST_LINES])
    return { files, lines }
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return { files: [], lines: [] }
    throw error
  }
}

const FILES = `
  select file_name as "fileName", rail, account, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "readAt",
    booked_from as "bookedFrom", booked_to as "bookedTo", lines, repeated,
    greatest(0, repeated - earlier)::int as "leftOut"
  from (
    select s.*, s.lines - s.new_lines as repeated,
      (select count(*) from bank_lines l join bank_statements e on e.id = l.statement_id
        where l.account = s.account and e.created_at < s.created_at
          and l.booked_on between s.booked_from and s.booked_to) as earlier
    from bank_statements s
    where s.lines > s.new_lines and coalesce((to_jsonb(s) ->> 'rule')::int, 1) = 1
  ) as files
  order by created_at`

const LINES = `
  select l.booked_on as "bookedOn", l.direction, trim_scale(l.amount)::text as amount, l.currency,
    l.bank_reference as "bankReference", s.file_name as "fileName"
  from bank_lines l join bank_statements s on s.id = l.statement_id
  where l.account = any($1)
    and regexp_replace(upper(regexp_replace(l.bank_reference, '/[0-9]+$', '')), '[^A-Z0-9]', '', 'g')
      ~ '^(0*[0-9]{0,5}|NONREF|NOREF|NOTPROVIDED|NOTAVAILABLE|UNKNOWN|NONE|NULL|NA)$'
  order by l.booked_on, l.position
  limit $2`
