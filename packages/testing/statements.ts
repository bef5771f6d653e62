import pg from 'pg'

/** A statement that a program sent to Postgres. */
export interface Statement {
  database: string
  text: string
  values: readonly unknown[]
  /** The file of this project that sent it; undefined where the program no longer knows. */
  by?: string
}

interface Noting {
  statements: Statement[]
  most: number
}

/** Who notes statements now. */
const noting = new Set<Noting>()
let isPatched = false

/**
 * Notes every statement that this process sends to Postgres, until it is stopped.
 *
 * @param most once so many are noted, each further one fails
 */
export function recordStatements(most = Infinity): { statements: Statement[]; stop(): void } {
  if (!isPatched) patch()
  isPatched = true
  const own: Noting = { statements: [], most }
  noting.add(own)
  return { statements: own.statements, stop: () => void noting.delete(own) }
}

/** For good: a connection may keep what it was made with. */
function patch(): void {
  const { prototype } = pg.Client
  const send = Reflect.get(prototype, 'query')
  Reflect.set(prototype, 'query', function (this: pg.Client, ...args: unknown[]): unknown {
    if ([...noting].some(({ statements, most }) => statements.length >= most)) return refuse(args.at(-1))
    if (noting.size > 0) note(this.database ?? '', args)
    return Reflect.apply(send, this, args)
  })
}

function refuse(callback: unknown): Promise<never> | undefined {
  const error = new Error('enough statements were noted')
  if (typeof callback !== 'function') return Promise.reject(error)
  callback(error)
  return undefined
}

function note(database: string, [first, second]: unknown[]): void {
  const { text, values } = typeof first === 'string' ? { text: first, values: second } : (first as Asked)
  const given = Array.isArray(values) ? [...(values as unknown[])] : []
  for (const { statements } of noting) statements.push({ database, text, values: given, by: sender() })
}

const OWN_FILE = /\/((?:apps|packages|e2e|bench)\/(?!testing\/statements)[^:()]+\.ts)[:?]/
/** What hands statements on says nothing about who sent them. */
const HANDS_ON = /^packages\/service\/postgres\//

function sender(): string | undefined {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const lines = (new Error('for its stack').stack ?? '').split('\n')
  Error.stackTraceLimit = limit
  const files = lines.flatMap(line => OWN_FILE.exec(line)?.[1] ?? [])
  return files.find(file => !HANDS_ON.test(file))
}

interface Asked {
  text: string
  values?: unknown
}

/** One of Postgres' nodes of a plan. */
interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Node[]
}

const HAS_PLAN = /^\s*(select|insert|update|delete|with)\b/i

/** The tables that Postgres would read from one end to the other for a statement. */
export async function tablesScanned(client: pg.ClientBase, { text, values }: Statement): Promise<string[]> {
  if (!HAS_PLAN.test(text)) return []
  const { rows } = await client.query<Explained>(`explain (format json) ${text}`, [...values])
  return nodesOf(planOf(rows)).flatMap(node =>
    node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== undefined ? [node['Relation Name']] : [],
  )
}

/** How many pages of 8 kB Postgres reads for statements, which are run and undone. */
export async function pagesRead(client: pg.ClientBase, statements: readonly Statement[]): Promise<number> {
  const plans = await plansOf(client, statements)
  return sum(plans.map(plan => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)))
}

/** How many rows of tables Postgres looks at for statements, which are run and undone: also those that it leaves out then. */
export async function rowsRead(client: pg.ClientBase, statements: readonly Statement[]): Promise<number> {
  const scans = (await plansOf(client, statements)).flatMap(nodesOf).filter(node => node['Relation Name'])
  const rows = scans.map(
    node =>
      ((node['Actual Rows'] ?? 0) +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0)) *
      (node['Actual Loops'] ?? 1),
  )
  return sum(rows)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

async function plansOf(client: pg.ClientBase, statements: readonly Statement[]): Promise<Node[]> {
  const plans: Node[] = []
  await client.query('begin')
  try {
    for (const { text, values } of statements.filter(statement => HAS_PLAN.test(statement.text))) {
      const explain = `explain (analyze, buffers, format json) ${text}`
      plans.push(planOf((await client.query<Explained>(explain, [...values])).rows))
    }
  } finally {
    await client.query('rollback')
  }
  return plans
}

interface Explained {
  'QUERY PLAN': [{ Plan: Node }]
}

function planOf(rows: readonly Explained[]): Node {
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (!plan) throw new Error('Postgres told no plan')
  return plan
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
