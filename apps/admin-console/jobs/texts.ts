import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const jobs = catalogue({
  title: text('Provisioning jobs', 'Trabajos de instalación'),
  lead: text(
    'Every job, newest first. A job without progress for 30 seconds is stalled.',
    'Todos los trabajos, los más nuevos primero. Un trabajo sin avance durante 30 segundos está parado.',
  ),
  status: {
    pending: text('Pending', 'Pendiente'),
    running: text('Running', 'En curso'),
    failed: text('Failed', 'Fallido'),
    completed: text('Completed', 'Completado'),
  },
  stalled: text('Stalled', 'Parado'),
  columns: {
    anchor: text('Anchor', 'Anchor'),
    organization: text('Organization', 'Organización'),
    stage: text('Stage', 'Etapa'),
    updated: text('Updated', 'Actualizado'),
    status: text('Status', 'Estado'),
  },
  stageOf: text(
    (position: number, all: number) => `${position}/${all}`,
    (position, all) => `${position}/${all}`,
  ),
  empty: {
    title: text('No jobs yet', 'Ningún trabajo todavía'),
    detail: text(
      'A job is created when a founder redeems an invitation.',
      'Un trabajo se crea cuando un fundador canjea una invitación.',
    ),
    filtered: text('No job has this status', 'Ningún trabajo tiene este estado'),
  },
  jobId: text('Job ID', 'ID del trabajo'),
  code: text('Error code', 'Código de error'),
  retry: text(
    (position: number) => `Retry from stage ${position}`,
    position => `Reintentar desde la etapa ${position}`,
  ),
  failed: text('The job was not retried', 'El trabajo no se reintentó'),
  stageFailed: text(
    (position: number, name: string) => `Stage ${position} failed: ${name}`,
    (position, name) => `Falló la etapa ${position}: ${name}`,
  ),
  stalledTitle: text('No progress', 'Sin avance'),
  stalledDetail: text(
    'The worker may have stopped. Retry to continue from the current stage.',
    'Puede que el proceso se haya detenido. Reintente para continuar desde la etapa actual.',
  ),
})
