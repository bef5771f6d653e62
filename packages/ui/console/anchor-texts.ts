import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import type { AnchorEventKind } from '@windlass/contracts/platform/anchor-life.ts'
import { text } from '../catalogue.ts'

/* What administrators and founders read of an anchor. */

export const anchorStatuses = {
  draft: text('Draft', 'Borrador'),
  provisioning: text('Provisioning', 'En instalación'),
  active: text('Active', 'Activo'),
  suspended: text('Suspended', 'Suspendido'),
  removed: text('Removed', 'Eliminado'),
  error: text('Failed', 'Fallido'),
} satisfies Record<AnchorStatus, string>

/** Changes that the platform makes to an anchor. */
export const platformChanges = {
  'ledger-reset': text('Restored after a ledger reset', 'Restaurado tras un reinicio de la red'),
  upgraded: text('Upgraded', 'Actualizado'),
  'upgrade-failed': text('Upgrade rolled back', 'Actualización revertida'),
  'secrets-rotated': text('Secrets rotated', 'Secretos rotados'),
  removed: text('Removed', 'Eliminado'),
  closing: text('Closing', 'En cierre'),
} satisfies Record<AnchorEventKind, string>
