import { sealedDataKeys } from './anchors/vault.ts'

/** Every column that MASTER_KEY encrypts; an anchor's data key encrypts its secrets. */
export const sealedColumns = [sealedDataKeys]
