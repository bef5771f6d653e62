import { notify, openDatabase } from '@windlass/service/postgres/database.ts'
import { required } from '@windlass/service/process/env.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { findByName, getAnchor, openRotation } from '../anchors/records.ts'
import { isRemoved } from '../removal/records.ts'
import type { Tables } from '../tables.ts'
import { groupNames } from './groups.ts'

// `npm run keys:rotate -- --anchor name`: replaces an anchor's own secrets. Arguments: the anchor, then the groups of
// secrets, by default all, and `--json`. The control plane does the work; this waits for it.
const WITHIN_MS = 5 * 60_000
const json = process.argv.includes('--json')
const [name = '', ...given] = process.argv.slice(2).filter(each => each !== '--json')
const groups = given.length > 0 ? groupNames.filter(each => given.includes(each)) : [...groupNames]
const unknown = given.find(each => !groupNames.includes(each))
if (unknown !== undefined || name === '') {
  console.error(
    name === ''
      ? 'Name an anchor.'
      : `An anchor has no secrets "${unknown}". Secrets: ${groupNames.join(', ')}.`,
  )
  process.exit(2)
}
const database = openDatabase<Tables>(required(process.env, 'CONTROL_PLANE_DATABASE_URL'), {
  name: 'keys-rotate',
})
try {
  process.exitCode = await rotate()
} finally {
  await database.close()
}

async function rotate(): Promise<number> {
  const { db } = database
  const anchor = await findByName(db, name)
  if (!anchor) return fail(`There is no anchor "${name}". Anchors: npm run anchors.`)
  const { id } = anchor
  if (await isRemoved(db, id)) return fail('The anchor is being removed.')
  if (!(await openRotation(db, id, { id: randomUUID(), groups, replaced: false }))) {
    const { rotation } = await getAnchor(db, id)
    if (rotation && !isDeepStrictEqual(rotation.groups, groups))
      return fail(`A rotation of ${rotation.groups.join(', ')} is under way. Wait until it is finished.`)
  }
  await notify(db, 'rotations', id)
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(200)) {
    if ((await getAnchor(db, id)).rotation) continue
    const { homeDomain } = anchor.plan
    if (json) console.log(JSON.stringify({ anchorId: id, homeDomain, secrets: groups }, null, 2))
    else console.log(`${homeDomain}: new secrets are in use: ${groups.join(', ')}.`)
    return 0
  }
  return fail('The rotation is not finished. The control plane continues it: read its log.')
}

function fail(message: string): number {
  console.error(message)
  return 1
}
