import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const shell = catalogue({
  product: text('Windlass', 'Windlass'),
  anchors: text('Anchors', 'Anchors'),
  apply: text('Apply', 'Solicitar'),
  redeem: text('Redeem', 'Canjear'),
  workspaces: text('Workspaces', 'Espacios'),
  account: text('Account', 'Cuenta'),
  footer: text(
    'Windlass runs Stellar anchors and routes payments to them.',
    'Windlass opera anchors de Stellar y les dirige pagos.',
  ),
})
