import { createQueries } from '@windlass/ui/console/queries.ts'

export const { queries, refresh, onExpired } = createQueries()
