import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

const duration = (days: number): string =>
  days < 1 ? 'menos de un día' : `unos ${Math.floor(days)} ${days < 2 ? 'día' : 'días'}`

export const overview: Translation<typeof english.overview> = {
  suspended: 'Este anchor está suspendido',
  removed: 'Este anchor fue eliminado',
  ledgerReset: {
    title: when => `La red se reinició. Su anchor se restauró el ${when}.`,
    detail:
      'Sus cuentas se financiaron y su activo se emitió otra vez con las mismas claves. Los saldos que otros tenían antes del reinicio se perdieron.',
  },
  watch: 'Ver la instalación',
  alerts: {
    title: 'Alertas',
    since: when => `Desde el ${when}.`,
    all: count => `Ver las ${count} alertas`,
  },
  business: {
    title: 'Negocio',
    asset: 'Activo',
    period: 'Periodo',
    days: days => `${days} días`,
    deposits: 'Depósitos',
    withdrawals: 'Retiros',
    fees: 'Comisiones ganadas',
    pending: 'Pendientes ahora',
    transactions: count => (count === 1 ? '1 transacción' : `${count} transacciones`),
    volume: 'Volumen por día',
    noVolume: 'Ningún depósito ni retiro en este periodo.',
    funnel: 'Hasta dónde llegan las transacciones',
    steps: {
      started: 'Iniciadas',
      agreed: 'Importe acordado',
      paid: 'Pago recibido',
      completed: 'Completadas',
    },
    completion: (median, p95) => `Del pago a la finalización: la mitad en ${median}, el 95 % en ${p95}.`,
  },
  latency: 'Tiempo de respuesta',
  latencyNow: ms => `${ms} ms en el último minuto`,
  milliseconds: ms => `${ms} ms`,
  latencySeries: 'Milisegundos',
  runway: {
    unknown: 'Cuánto dura se sabe tras el primer día.',
    unlimited: 'No está disminuyendo.',
    days: days => `Dura ${duration(days)}.`,
  },
  anchor: 'Anchor',
  homeDomain: 'Dominio',
  discovery: 'stellar.toml',
  asset: 'Activo',
  assetOf: (code, name, anchoredTo) => `${code} – ${name}, vinculado a ${anchoredTo}`,
  issued: 'Emitido',
  issuer: 'Cuenta emisora',
  distribution: 'Cuenta de distribución',
  signingKey: 'Clave de firma (SEP-10)',
  terms: 'Medios de pago y comisiones',
  rails: 'Medios de pago',
  regions: 'Países atendidos',
  settlement: 'Plazo de liquidación',
  settlements: { instant: 'Inmediato', under_60_minutes: 'En menos de 60 minutos' },
  fee: 'Comisión',
  feeOf: (fixed, code, percentage) => `${fixed} ${code} + ${percentage}`,
  limits: 'Límites',
  limitsOf: (min, max, code) => `De ${min} a ${max} ${code}`,
  endpoints: 'Direcciones',
  protocols: {
    webAuth: 'Autenticación SEP-10',
    webAuthForContracts: 'Autenticación SEP-45 de contratos',
    transferServer: 'Transferencias SEP-6',
    transferServerSep24: 'Transferencias interactivas SEP-24',
    kycServer: 'Datos de clientes SEP-12',
    quoteServer: 'Cotizaciones SEP-38',
    directPaymentServer: 'Pagos directos SEP-31',
    federationServer: 'Federación SEP-2',
  },
  id: 'ID del anchor',
  activeSince: 'Activo desde',
}

export const setup: Translation<typeof english.setup> = {
  title: 'Prepare su anchor',
  progress: (done, of) => `${done} de ${of} hechas`,
  done: 'hecha',
  running: 'En curso…',
  result: 'Ver cada solicitud',
  depositFailed: why => `El último falló. ${why}`,
  tasks: {
    topUp: {
      title: 'Financie la tesorería',
      detail:
        'Su anchor paga los depósitos con ella. Hasta que envíe su activo allí, los depósitos se rechazan.',
      action: 'Ver cómo',
    },
    deposit: {
      title: 'Haga un depósito de prueba',
      detail:
        'Una billetera de prueba deposita en su anchor, desde el descubrimiento hasta el activo en la billetera.',
      action: 'Hacer un depósito de prueba',
    },
    compatibility: {
      title: 'Supere la comprobación de compatibilidad con billeteras',
      detail: 'Las billeteras pueden encontrar su anchor e iniciar sesión.',
      action: 'Ver los resultados',
    },
    secondFactor: {
      title: 'Añada una llave de acceso o una aplicación de autenticación',
      detail: 'Nadie inicia sesión como usted solo con su correo.',
      action: 'Añadir',
    },
    treasury: {
      title: 'Fije los umbrales de la tesorería',
      detail: 'Recibe un correo antes de que la tesorería se agote.',
      action: 'Fijar',
    },
    team: {
      title: 'Añada a un miembro del equipo',
      detail: 'Alguien puede actuar cuando usted no está.',
      action: 'Añadir',
    },
    key: {
      title: 'Cree una clave de API',
      detail: 'Sus propios sistemas pueden leer transacciones y clientes.',
      action: 'Crear',
    },
  },
}

export const liquidity: Translation<typeof english.liquidity> = {
  title: 'Liquidez disponible',
  of: (balance, reserved, issued) =>
    `Saldo ${balance}. Reservado para cotizaciones y depósitos abiertos: ${reserved}.${issued === null ? '' : ` Emitido: ${issued}.`}`,
  xlm: spendable => `${spendable} XLM para comisiones y reservas.`,
  fee: (last, max) =>
    last === null
      ? `Como máximo ${max} XLM por pago.`
      : `Última comisión de la red ${last} XLM, como máximo ${max} XLM.`,
  asleep: when =>
    `En reposo desde el ${when}. Nadie lo usa, así que sus servidores están detenidos. La próxima solicitud, pago o tarea pendiente los arranca.`,
  waiting: payments => (payments === 1 ? '1 pago espera' : `${payments} pagos esperan`),
}
