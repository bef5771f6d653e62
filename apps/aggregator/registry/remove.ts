import { Problem } from '@windlass/service/problem.ts'
import { demandDatabase } from '../demand-database.ts'
import type { Deps } from '../deps.ts'
import { deleteAnchor } from './queries.ts'

/** Takes an anchor out of the registry; its recorded checks stay until they are pruned. Throws `anchor-not-found`. */
export async function remove(
  deps: Pick<Deps, 'database' | 'databaseUp' | 'index'>,
  id: string,
): Promise<void> {
  demandDatabase(deps)
  const wasThere = await deleteAnchor(deps.database.db, id)
  deps.index.remove(id)
  if (!wasThere) throw new Problem('anchor-not-found', 'There is no anchor with this id in the registry.')
}
