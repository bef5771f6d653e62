import type { NotificationKind } from '@windlass/contracts/platform/notifications.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const home = catalogue({
  title: text('Home', 'Inicio'),
  lead: text(
    'What needs attention, and the state of the fleet.',
    'Las tareas pendientes y el estado de la flota.',
  ),
  action: text('Needs action', 'Tareas pendientes'),
  nothing: text('Nothing needs action', 'No hay tareas pendientes'),
  applications: text(
    (count: number) => (count === 1 ? '1 application waits' : `${count} applications wait`),
    count => (count === 1 ? '1 solicitud espera' : `${count} solicitudes esperan`),
  ),
  oldest: text(
    (ago: string) => `The oldest was sent ${ago}.`,
    ago => `La más antigua se envió ${ago}.`,
  ),
  review: text('Review', 'Revisar'),
  failed: text(
    (count: number) => (count === 1 ? '1 job failed' : `${count} jobs failed`),
    count => (count === 1 ? '1 trabajo falló' : `${count} trabajos fallaron`),
  ),
  failedDetail: text(
    'A retry continues at the stage that failed.',
    'Un reintento continúa en la etapa que falló.',
  ),
  stalled: text(
    (count: number) => (count === 1 ? '1 job is stalled' : `${count} jobs are stalled`),
    count => (count === 1 ? '1 trabajo está parado' : `${count} trabajos están parados`),
  ),
  stalledDetail: text('It has not reported for 30 seconds.', 'No ha informado en 30 segundos.'),
  unavailable: text(
    (count: number) => (count === 1 ? '1 anchor is unavailable' : `${count} anchors are unavailable`),
    count => (count === 1 ? '1 anchor no está disponible' : `${count} anchors no están disponibles`),
  ),
  unavailableDetail: text(
    (names: string) => `Last health check failed: ${names}. Wallets are not routed there.`,
    names => `Falló la última comprobación: ${names}. No se les envían billeteras.`,
  ),
  refused: text(
    (count: number) => (count === 1 ? '1 message is refused' : `${count} messages are refused`),
    count => (count === 1 ? '1 mensaje es rechazado' : `${count} mensajes son rechazados`),
  ),
  refusedDetail: text(
    'Their recipient answers in the same way whenever they are sent.',
    'Su destinatario responde igual cada vez que se envían.',
  ),
  see: text('See', 'Ver'),
  fleet: text('Fleet', 'Flota'),
  running: text('Jobs running', 'Trabajos en curso'),
  alerts: text('Alerts', 'Alertas'),
  noAlerts: text('No open alerts', 'Ninguna alerta abierta'),
  platform: text('Platform', 'Plataforma'),
  columns: {
    since: text('Since', 'Desde'),
    what: text('Alert', 'Alerta'),
    where: text('Where', 'Dónde'),
    detail: text('Details', 'Detalles'),
  },
  kinds: {
    'treasury-low': text('Treasury low', 'Tesorería baja'),
    'treasury-high': text('Treasury above its ceiling', 'Tesorería por encima de su máximo'),
    'xlm-low': text('XLM low', 'XLM bajo'),
    'review-waiting': text('Review waiting', 'Revisión pendiente'),
    'compliance-waiting': text('Compliance waiting', 'Cumplimiento pendiente'),
    'webhook-failing': text('Webhook failing', 'Webhook con fallos'),
    'reconciliation-difference': text('Reconciliation difference', 'Diferencia de conciliación'),
    'safeguarding-shortfall': text('Shortfall of customers’ money', 'Falta dinero de clientes'),
    'anchor-active': text('Anchor active', 'Anchor activo'),
    'payout-failed': text('Payout failed', 'Pago fallido'),
    'second-person-waits': text('Second person needed', 'Falta una segunda persona'),
    'compliance-second-person-waits': text(
      'Second person needed in compliance',
      'Falta una segunda persona en cumplimiento',
    ),
    'treasury-settings-changed': text('Treasury settings changed', 'Ajustes de tesorería cambiados'),
    'funding-low': text('Funding account low', 'Cuenta de financiación baja'),
    'application-received': text('Application received', 'Solicitud recibida'),
  } satisfies Record<NotificationKind, string>,
  activity: text('Latest activity', 'Última actividad'),
  all: text('See the audit log', 'Ver el registro de auditoría'),
})
