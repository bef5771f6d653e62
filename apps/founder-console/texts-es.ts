import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const shell: Translation<typeof english.shell> = {
  product: 'Windlass',
  anchors: 'Anchors',
  apply: 'Solicitar',
  redeem: 'Canjear',
  workspaces: 'Espacios',
  account: 'Cuenta',
  footer: 'Windlass opera anchors de Stellar y les dirige pagos.',
}
