import { anchorNames } from '../anchors/anchors.ts'
import { companyNames } from '../applications/search.ts'
import { organizationNames } from '../operators/organizations.ts'
import { userNames } from '../operators/users.ts'
import type { PlatformDb } from '../tables.ts'

/** Names of what the audit log calls `operator:usr_…` or `anchor:…`, of those that are known. */
export async function namesOf(db: PlatformDb, references: readonly string[]): Promise<Map<string, string>> {
  const idsOf = (...kinds: string[]) => [
    ...new Set(
      references.flatMap(reference => {
        const [kind = '', id = ''] = reference.split(/:(.*)/s)
        return kinds.includes(kind) ? id : []
      }),
    ),
  ]
  const [anchors, companies, users, organizations] = await Promise.all([
    anchorNames(db, idsOf('anchor')),
    companyNames(db, idsOf('application', 'founder')),
    userNames(db, idsOf('operator')),
    organizationNames(db, idsOf('organization')),
  ])
  const named = (kinds: string[], names: Iterable<readonly [string, string]>) =>
    [...names].flatMap(([id, name]) => kinds.map(kind => [`${kind}:${id}`, name] as const))
  return new Map([
    ...named(
      ['anchor'],
      [...anchors].map(([id, { subdomain }]) => [id, subdomain] as const),
    ),
    ...named(['application', 'founder'], companies),
    ...named(['operator'], users),
    ...named(['organization'], organizations),
  ])
}
