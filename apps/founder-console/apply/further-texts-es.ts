import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './further-texts.ts'

export const further: Translation<typeof english.further> = {
  title: 'Otros activos',
  lead: 'Activos existentes que su anchor ofrece además del primero, como USDC. Cuatro como máximo.',
  issuer: 'La cuenta (G…) que lo emite.',
}
