import type { PlatformDb } from '../database.ts'
import { findAnchor as find, type AnchorRow } from './queries.ts'

/** The anchor of an id, for other slices. */
export const findAnchor = (db: PlatformDb, id: string): Promise<AnchorRow | undefined> => find(db, id)
