import { fileURLToPath } from 'node:url'
import { createDidit } from './didit.ts'
import { createMockProvider, type MockOptions } from './mock/mock-provider.ts'
import type { KycProvider } from './provider.ts'
import type { KycSettings } from './settings.ts'

/** The provider that the settings name. */
export function createKycProvider(settings: KycSettings, mock: MockOptions): KycProvider {
  return settings.provider === 'didit' ? createDidit(settings) : createMockProvider(mock)
}

/** The mock provider's table, for `migrate`. */
export const kycMigrations = fileURLToPath(new URL('./migrations/', import.meta.url))
