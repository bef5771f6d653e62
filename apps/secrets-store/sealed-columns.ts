import { sealedSecrets } from './secrets/operations.ts'

/** Every column that SECRETS_STORE_KEY encrypts. */
export const sealedColumns = [sealedSecrets]
