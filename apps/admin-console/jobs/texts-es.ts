import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const jobs: Translation<typeof english.jobs> = {
  title: 'Trabajos de instalación',
  lead: 'Todos los trabajos, los más nuevos primero. Un trabajo sin avance durante 30 segundos está parado.',
  status: { pending: 'Pendiente', running: 'En curso', failed: 'Fallido', completed: 'Completado' },
  stalled: 'Parado',
  columns: {
    anchor: 'Anchor',
    organization: 'Organización',
    stage: 'Etapa',
    updated: 'Actualizado',
    status: 'Estado',
  },
  stageOf: (position, all) => `${position}/${all}`,
  empty: {
    title: 'Ningún trabajo todavía',
    detail: 'Un trabajo se crea cuando un fundador canjea una invitación.',
    filtered: 'Ningún trabajo tiene este estado',
  },
  jobId: 'ID del trabajo',
  code: 'Código de error',
  retry: position => `Reintentar desde la etapa ${position}`,
  failed: 'El trabajo no se reintentó',
  stageFailed: (position, name) => `Falló la etapa ${position}: ${name}`,
  stalledTitle: 'Sin avance',
  stalledDetail: 'Puede que el proceso se haya detenido. Reintente para continuar desde la etapa actual.',
}
