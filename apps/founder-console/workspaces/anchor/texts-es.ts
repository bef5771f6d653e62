import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const walletChecks: Translation<typeof english.walletChecks> = {
  title: 'Compatibilidad con billeteras',
  lead: 'Una vez al día Windlass comprueba su anchor desde fuera, como haría una billetera nueva.',
  passed: (passed, checks) =>
    passed === checks
      ? `Superadas las ${checks} comprobaciones`
      : `Superadas ${passed} de ${checks} comprobaciones`,
  checked: when => `Comprobado el ${when}`,
  none: 'Sin comprobar todavía',
  check: 'Comprobar ahora',
  checking: 'Comprobando…',
  failed: 'La comprobación no empezó',
  failedChecks: 'Comprobaciones fallidas',
  found: 'Encontrado',
  sep: number => `SEP-${number}`,
  all: 'Todas las comprobaciones',
  state: { passed: 'Superada', failed: 'Fallida' },
}

export const signing: Translation<typeof english.signing> = {
  title: 'Firma',
  lead: 'Los servidores de su anchor no tienen claves: el firmante firma sus pagos dentro de estos límites.',
  change: 'Cambiar los límites',
  save: 'Guardar los límites',
  failed: 'Los límites no se cambiaron',
  perHour: {
    label: 'Por hora',
    hint: 'Los pagos que lo superan esperan a que los anteriores tengan una hora. Con 0 esperan todos.',
  },
  perPayment: { label: 'Por pago', hint: 'Déjelo vacío para no fijar un límite propio.' },
  xlmPerHour: { label: 'XLM por hora', hint: 'Para XLM que los clientes enviaron por error.' },
  destinations: {
    label: 'Destinos',
    hint: 'Las únicas cuentas a las que se puede pagar, una por línea. Déjelo vacío para cualquier cuenta.',
    invalid: 'Escriba cuentas que empiecen por G o C.',
  },
  used: (signed, limit) => `${signed} de ${limit} firmados en la última hora`,
  none: 'Sin límite',
  any: 'Cualquier cuenta',
  stopped: 'Solicitudes detenidas',
  nothingStopped: 'Ninguna en los últimos 30 días',
  servers: { sep: 'servidor SEP', business: 'servidor de negocio' },
  requests: (count, server, when) =>
    `${count} ${count === 1 ? 'solicitud' : 'solicitudes'} del ${server}, la última el ${when}`,
}
