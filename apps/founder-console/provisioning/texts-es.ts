import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const provisioning: Translation<typeof english.provisioning> = {
  title: {
    pending: 'Su anchor está en la cola',
    running: 'Instalando su anchor',
    failed: 'La instalación falló',
    completed: 'Su anchor está en marcha',
  },
  lead: {
    pending:
      'La instalación empieza en un momento. Puede cerrar esta página y volver después a su dirección.',
    running: 'Suele tardar menos de un minuto. Puede cerrar esta página y volver después a su dirección.',
    failed: 'Las etapas completadas se conservan. Las claves y cuentas nunca se crean dos veces.',
    completed: 'Las billeteras pueden descubrirlo e iniciar sesión. Está incluido en las rutas.',
  },
  jobId: 'ID del trabajo',
  live: 'En directo',
  polling: 'Se actualiza cada 2 s',
  reconnecting: 'Reconectando',
  stages: 'Etapas',
  total: duration => `Instalado en ${duration}`,
  stageFailed: (position, name) => `Falló la etapa ${position}: ${name}`,
  stalled: ago => `Sin avance desde ${ago}`,
  stalledDetail: 'Puede que el proceso se haya detenido. Reintente para continuar desde la etapa actual.',
  notRetryable: 'Un reintento no puede arreglarlo. Contacte con soporte e indique el ID del trabajo.',
  errorCode: 'Código de error',
  retry: position => `Reintentar desde la etapa ${position}`,
  retryRefused: 'El reintento falló',
  unknown: {
    title: 'Trabajo no encontrado',
    detail: 'Puede que la dirección esté incompleta. Ábrala de nuevo desde donde la copió.',
  },
  result: {
    title: 'Su anchor',
    domain: 'Dominio',
    asset: 'Activo',
    issuer: 'Cuenta emisora',
    distribution: 'Cuenta de distribución',
    signingKey: 'Clave de firma (SEP-10)',
    onLedger: 'Ver en la red',
    links: 'Direcciones',
  },
  next: {
    workspace: 'Abrir el espacio',
    detail: 'Apunte una billetera al dominio. Lee stellar.toml e inicia sesión con SEP-10.',
  },
}
