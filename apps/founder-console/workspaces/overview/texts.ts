import type { Settlement } from '@windlass/contracts/aggregator/registry.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const overview = catalogue({
  suspended: text('This anchor is suspended', 'Este anchor está suspendido'),
  removed: text('This anchor was removed', 'Este anchor fue eliminado'),
  ledgerReset: {
    title: text(
      (when: string) => `The ledger was reset. Your anchor was restored on ${when}.`,
      when => `La red se reinició. Su anchor se restauró el ${when}.`,
    ),
    detail: text(
      'Its accounts were funded and its asset was issued again with the same keys. Balances that others held before the reset are lost.',
      'Sus cuentas se financiaron y su activo se emitió otra vez con las mismas claves. Los saldos que otros tenían antes del reinicio se perdieron.',
    ),
  },
  watch: text('View setup', 'Ver la instalación'),
  inbox: {
    title: text('Waiting for you', 'Pendiente'),
    empty: text('Nothing is waiting for you.', 'No hay nada pendiente.'),
    since: text(
      (when: string) => `Since ${when}.`,
      when => `Desde el ${when}.`,
    ),
    all: text(
      (count: number) => `See all ${count}`,
      count => `Ver todo (${count})`,
    ),
  },
  business: {
    title: text('Business', 'Negocio'),
    asset: text('Asset', 'Activo'),
    period: text('Period', 'Periodo'),
    days: text(
      (days: number) => `${days} days`,
      days => `${days} días`,
    ),
    deposits: text('Deposits', 'Depósitos'),
    withdrawals: text('Withdrawals', 'Retiros'),
    fees: text('Fees earned', 'Comisiones ganadas'),
    pending: text('Pending now', 'Pendientes ahora'),
    transactions: text(
      (count: number) => (count === 1 ? '1 transaction' : `${count} transactions`),
      count => (count === 1 ? '1 transacción' : `${count} transacciones`),
    ),
    volume: text('Volume by day', 'Volumen por día'),
    noVolume: text('No deposit or withdrawal in this period.', 'Ningún depósito ni retiro en este periodo.'),
    funnel: text('How far transactions get', 'Hasta dónde llegan las transacciones'),
    steps: {
      started: text('Started', 'Iniciadas'),
      agreed: text('Amount agreed', 'Importe acordado'),
      paid: text('Payment received', 'Pago recibido'),
      completed: text('Completed', 'Completadas'),
    },
    completion: text(
      (median: string, p95: string) =>
        `From payment to completion: half within ${median}, 95% within ${p95}.`,
      (median, p95) => `Del pago a la finalización: la mitad en ${median}, el 95 % en ${p95}.`,
    ),
  },
  latency: text('Response time', 'Tiempo de respuesta'),
  latencyNow: text(
    (ms: number) => `${ms} ms in the last minute`,
    ms => `${ms} ms en el último minuto`,
  ),
  milliseconds: text(
    (ms: number) => `${ms} ms`,
    ms => `${ms} ms`,
  ),
  latencySeries: text('Milliseconds', 'Milisegundos'),
  runway: {
    unknown: text(
      'How long it lasts is known after the first day.',
      'Cuánto dura se sabe tras el primer día.',
    ),
    unlimited: text('It is not decreasing.', 'No está disminuyendo.'),
    days: text(
      (days: number) =>
        days < 1
          ? 'It lasts less than a day.'
          : days >= 1000
            ? 'It lasts for years.'
            : `It lasts about ${Math.floor(days)} ${days < 2 ? 'day' : 'days'}.`,
      days =>
        `Dura ${days >= 1000 ? 'años' : days < 1 ? 'menos de un día' : days < 2 ? 'alrededor de un día' : `unos ${Math.floor(days)} días`}.`,
    ),
  },
  anchor: text('Anchor', 'Anchor'),
  homeDomain: text('Home domain', 'Dominio'),
  discovery: text('stellar.toml', 'stellar.toml'),
  asset: text('Asset', 'Activo'),
  assetOf: text(
    (code: string, name: string, anchoredTo: string) => `${code} – ${name}, pegged to ${anchoredTo}`,
    (code, name, anchoredTo) => `${code} – ${name}, vinculado a ${anchoredTo}`,
  ),
  issued: text('Issued', 'Emitido'),
  issuer: text('Issuing account', 'Cuenta emisora'),
  distribution: text('Distribution account', 'Cuenta de distribución'),
  signingKey: text('Signing key (SEP-10)', 'Clave de firma (SEP-10)'),
  terms: text('Rails and fees', 'Medios de pago y comisiones'),
  rails: text('Rails', 'Medios de pago'),
  regions: text('Countries served', 'Países atendidos'),
  settlement: text('Settlement time', 'Plazo de liquidación'),
  settlements: {
    instant: text('Instant', 'Inmediato'),
    under_60_minutes: text('Within 60 minutes', 'En menos de 60 minutos'),
  } satisfies Record<Settlement, Text> as Record<string, Text>,
  fee: text('Fee', 'Comisión'),
  feeOf: text(
    (fixed: string, code: string, percentage: string) => `${fixed} ${code} + ${percentage}`,
    (fixed, code, percentage) => `${fixed} ${code} + ${percentage}`,
  ),
  limits: text('Limits', 'Límites'),
  limitsOf: text(
    (min: string, max: string, code: string) => `${min} to ${max} ${code}`,
    (min, max, code) => `De ${min} a ${max} ${code}`,
  ),
  otherInstallation: {
    live: {
      name: text('Sandbox', 'Entorno de pruebas'),
      action: text('Try these settings in the sandbox', 'Probar estos ajustes en el entorno de pruebas'),
    },
    sandbox: {
      name: text('Live', 'Entorno real'),
      action: text('Take these settings to live', 'Llevar estos ajustes al entorno real'),
    },
  },
  endpoints: text('Endpoints', 'Direcciones'),
  protocols: {
    webAuth: text('SEP-10 authentication', 'Autenticación SEP-10'),
    webAuthForContracts: text(
      'SEP-45 authentication of contract accounts, where offered',
      'Autenticación SEP-45 de contratos',
    ),
    transferServer: text('SEP-6 transfers', 'Transferencias SEP-6'),
    transferServerSep24: text('SEP-24 interactive transfers', 'Transferencias interactivas SEP-24'),
    directPaymentServer: text('SEP-31 direct payments', 'Pagos directos SEP-31'),
    kycServer: text('SEP-12 customer data', 'Datos de clientes SEP-12'),
    quoteServer: text('SEP-38 quotes', 'Cotizaciones SEP-38'),
    federationServer: text('SEP-2 federation', 'Federación SEP-2'),
  },
  id: text('Anchor ID', 'ID del anchor'),
  activeSince: text('Active since', 'Activo desde'),
})

export const setup = catalogue({
  title: text('Set up your anchor', 'Prepare su anchor'),
  progress: text(
    (done: number, of: number) => `${done} of ${of} done`,
    (done, of) => `${done} de ${of} hechas`,
  ),
  done: text('done', 'hecha'),
  running: text('Running…', 'En curso…'),
  result: text('See each request', 'Ver cada solicitud'),
  depositFailed: text(
    (why: string) => `The last one failed. ${why}`,
    why => `El último falló. ${why}`,
  ),
  tasks: {
    topUp: {
      title: text('Fund the treasury', 'Financie la tesorería'),
      detail: text(
        'Your anchor pays deposits from it. Until you send your asset there, deposits are refused.',
        'Su anchor paga los depósitos con ella. Hasta que envíe su activo allí, los depósitos se rechazan.',
      ),
      action: text('See how', 'Ver cómo'),
    },
    deposit: {
      title: text('Run a test deposit', 'Haga un depósito de prueba'),
      detail: text(
        'A test wallet deposits at your anchor, from discovery to the asset in the wallet.',
        'Una billetera de prueba deposita en su anchor, desde el descubrimiento hasta el activo en la billetera.',
      ),
      action: text('Run test deposit', 'Hacer un depósito de prueba'),
    },
    compatibility: {
      title: text(
        'Pass the wallet compatibility check',
        'Supere la comprobación de compatibilidad con billeteras',
      ),
      detail: text(
        'Wallets can find your anchor and log in.',
        'Las billeteras pueden encontrar su anchor e iniciar sesión.',
      ),
      action: text('See results', 'Ver los resultados'),
    },
    secondFactor: {
      title: text(
        'Add a passkey or authenticator app',
        'Añada una llave de acceso o una aplicación de autenticación',
      ),
      detail: text(
        'Nobody signs in as you with your email alone.',
        'Nadie inicia sesión como usted solo con su correo.',
      ),
      action: text('Add', 'Añadir'),
    },
    treasury: {
      title: text('Set treasury thresholds', 'Fije los umbrales de la tesorería'),
      detail: text(
        'You get an email before the treasury runs out.',
        'Recibe un correo antes de que la tesorería se agote.',
      ),
      action: text('Set', 'Fijar'),
    },
    team: {
      title: text('Add a team member', 'Añada a un miembro del equipo'),
      detail: text(
        'Some actions need two people, a day after they got their role.',
        'Algunas acciones necesitan dos personas, un día después de recibir su rol.',
      ),
      action: text('Add', 'Añadir'),
    },
    key: {
      title: text('Create an API key', 'Cree una clave de API'),
      detail: text(
        'Your own systems can read transactions and customers.',
        'Sus propios sistemas pueden leer transacciones y clientes.',
      ),
      action: text('Create', 'Crear'),
    },
  },
})

export const liquidity = catalogue({
  title: text('Available liquidity', 'Liquidez disponible'),
  of: text(
    (balance: string, reserved: string, issued: string | null) =>
      `Balance ${balance}. Reserved for open quotes and deposits: ${reserved}.${issued === null ? '' : ` Issued: ${issued}.`}`,
    (balance, reserved, issued) =>
      `Saldo ${balance}. Reservado para cotizaciones y depósitos abiertos: ${reserved}.${issued === null ? '' : ` Emitido: ${issued}.`}`,
  ),
  xlm: text(
    (spendable: string) => `${spendable} XLM for fees and reserves.`,
    spendable => `${spendable} XLM para comisiones y reservas.`,
  ),
  fee: text(
    (last: string | null, max: string) =>
      last === null
        ? `At most ${max} XLM for a payment.`
        : `Last network fee ${last} XLM, at most ${max} XLM.`,
    (last, max) =>
      last === null
        ? `Como máximo ${max} XLM por pago.`
        : `Última comisión de la red ${last} XLM, como máximo ${max} XLM.`,
  ),
  asleep: text(
    (when: string) =>
      `Asleep since ${when}. Nobody uses it, so its servers are stopped. The next request, payment or due work starts them.`,
    when =>
      `En reposo desde el ${when}. Nadie lo usa, así que sus servidores están detenidos. La próxima solicitud, pago o tarea pendiente los arranca.`,
  ),
  withoutLists: {
    title: text('No sanctions list is loaded', 'No hay ninguna lista de sanciones cargada'),
    next: text(
      'Every payment waits until one is loaded under Compliance.',
      'Todos los pagos esperan hasta que se cargue una en Cumplimiento.',
    ),
  },
  seeWaiting: text('See transactions', 'Ver las transacciones'),
  waiting: text(
    (payments: number) => (payments === 1 ? '1 payment waits' : `${payments} payments wait`),
    payments => (payments === 1 ? '1 pago espera' : `${payments} pagos esperan`),
  ),
})
