import { sealedKeys } from './keys/keys.ts'

/** Every column that SIGNER_KEY encrypts. */
export const sealedColumns = [sealedKeys]
