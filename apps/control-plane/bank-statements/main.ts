import { openDatabase } from '@windlass/service/postgres/database.ts'
import { keyring, optional, required } from '@windlass/service/process/env.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import pg from 'pg'
import { listProvisioned, openAnchor } from '../anchors/records.ts'
import { anchorDatabaseUrl } from '../servers/database.ts'
import type { Tables } from '../tables.ts'
import { listRepeatedLines, type RepeatedLines } from './repeated-lines.ts'

// `npm run statements:check`: lists what an earlier release may have left out of bank statements. Argument: `--json`.
const { env } = process
const address = required(env, 'CONTROL_PLANE_DATABASE_URL')
const database = openDatabase<Tables>(address, { name: 'statements-check' })
const master = createSealer(keyring(env, 'MASTER_KEY'))
const server = optional(env, 'ANCHORS_DATABASE_URL') ?? address

const anchors = []
for (const { id, plan } of await listProvisioned(database.db)) {
  const { vault } = await openAnchor({ database, master }, id)
  const { secret: password } = await vault.get(database.db, 'database')
  const connectionString = anchorDatabaseUrl(server, id, { schema: 'business', password })
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await listRepeatedLines(client)
    if (found.files.length > 0) anchors.push({ homeDomain: plan.homeDomain, ...found })
  } finally {
    await client.end()
  }
}
await database.close()
if (process.argv.includes('--json')) console.log(JSON.stringify(anchors, null, 2))
else if (anchors.length === 0)
  console.log('No bank statement has lines that an earlier release may have left out.')
else for (const anchor of anchors) print(anchor)
process.exitCode = anchors.length === 0 ? 0 : 1

function print({ homeDomain, files, lines }: RepeatedLines & { homeDomain: string }): void {
  console.log(`\n${homeDomain}: upload these files again, the oldest first. What was left out is added.`)
  for (const file of files) {
    const sure = file.leftOut > 0 ? `, ${file.leftOut} of them were left out` : ', perhaps rightly'
    console.log(
      `  ${file.fileName} (${file.rail}, ${file.bookedFrom} to ${file.bookedTo}, read ${file.readAt}): ` +
        `${file.repeated} of ${file.lines} lines were taken for earlier ones${sure}`,
    )
  }
  if (lines.length > 0)
    console.log(
      '  Bookings of other days may have been taken for these lines, and would be bookings of their own now:',
    )
  for (const { bookedOn, direction, amount, currency, bankReference, fileName } of lines)
    console.log(`  ${bookedOn} ${direction} ${amount} ${currency}, reference ${bankReference} (${fileName})`)
}
