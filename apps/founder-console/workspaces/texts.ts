import type { waitCodes } from '@windlass/contracts/anchor/developer-api.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { anchorStatuses } from '@windlass/ui/console/anchor-texts.ts'

type WaitCode = (typeof waitCodes)[number]
/** What a payment waits for, by name. */
type WaitDetails = Readonly<Record<string, string>>

export const workspace = catalogue({
  list: {
    title: text('Workspaces', 'Espacios'),
    lead: text('Each anchor has its own workspace.', 'Cada anchor tiene su propio espacio.'),
    signedInAs: text(
      (email: string) => `Signed in as ${email}`,
      email => `Sesión iniciada como ${email}`,
    ),
    empty: {
      title: text('No anchors yet', 'Ningún anchor todavía'),
      detail: text(
        'After your application is approved, redeem the invitation. Your anchor appears here.',
        'Cuando se apruebe su solicitud, canjee la invitación. Su anchor aparece aquí.',
      ),
      apply: text('Apply for an anchor', 'Solicitar un anchor'),
    },
    roles: {
      owner: text('Owner', 'Propietario'),
      admin: text('Admin', 'Administrador'),
      member: text('Member', 'Miembro'),
      compliance: text('Compliance', 'Cumplimiento'),
      finance: text('Finance', 'Finanzas'),
      support: text('Support', 'Soporte'),
      auditor: text('Auditor', 'Auditor'),
    },
  },
  signOut: text('Sign out', 'Cerrar sesión'),
  status: anchorStatuses,
  paused: {
    deposits: text('Deposits paused', 'Depósitos en pausa'),
    withdrawals: text('Withdrawals paused', 'Retiros en pausa'),
    both: text('Paused', 'En pausa'),
    message: text(
      (message: string) => `Customers read: “${message}”`,
      message => `Los clientes leen: «${message}»`,
    ),
    resume: text('Resume under Settings', 'Reanudar en Ajustes'),
  },
  tabs: {
    overview: text('Overview', 'Resumen'),
    anchor: text('Anchor', 'Anchor'),
    transactions: text('Transactions', 'Transacciones'),
    customers: text('Customers', 'Clientes'),
    settings: text('Settings', 'Ajustes'),
    treasury: text('Treasury', 'Tesorería'),
    compliance: text('Compliance', 'Cumplimiento'),
    bank: text('Bank files', 'Archivos bancarios'),
    reconciliation: text('Reconciliation', 'Conciliación'),
    closing: text('Closing', 'Cierre'),
    ledger: text('Ledger', 'Red'),
    routing: text('Routing', 'Rutas'),
    keys: text('API keys', 'Claves de API'),
    webhooks: text('Webhooks', 'Webhooks'),
    developers: text('Developers', 'Desarrollo'),
    team: text('Team', 'Equipo'),
    notifications: text('Notifications', 'Notificaciones'),
    activity: text('Activity', 'Actividad'),
  },
  groups: {
    money: text('Money', 'Dinero'),
    customers: text('Customers', 'Clientes'),
    anchor: text('Anchor', 'Anchor'),
    developers: text('Developers', 'Desarrollo'),
  },
  navigation: text('Workspace', 'Espacio'),
  all: text('All workspaces', 'Todos los espacios'),
  palette: {
    page: text('Page', 'Página'),
    anchor: text('Anchor', 'Anchor'),
    customer: text('Customer', 'Cliente'),
    transaction: text('Transaction', 'Transacción'),
    kinds: { deposit: text('Deposit', 'Depósito'), withdrawal: text('Withdrawal', 'Retiro') },
  },
  notFound: text(
    'None of your organizations has an anchor with this ID.',
    'Ninguna de sus organizaciones tiene un anchor con este ID.',
  ),
  waits: {
    'treasury-short': text(
      (_: WaitDetails) => 'The treasury holds too little for it. It is paid as soon as it can be.',
      () => 'La tesorería no tiene suficiente para él. Se paga en cuanto sea posible.',
    ),
    'treasury-frozen': text(
      (_: WaitDetails) =>
        'The issuer has not authorized the distribution account to pay this asset. It is paid as soon as it can be.',
      () =>
        'El emisor no ha autorizado a la cuenta de distribución a pagar este activo. Se paga en cuanto sea posible.',
    ),
    xlm: text(
      ({ missing }: WaitDetails) => `The distribution account needs ${missing} XLM.`,
      ({ missing }) => `La cuenta de distribución necesita ${missing} XLM.`,
    ),
    'no-account': text(
      ({ asset }: WaitDetails) => `The account does not exist. It needs a trustline for ${asset}.`,
      ({ asset }) => `La cuenta no existe. Necesita una línea de confianza para ${asset}.`,
    ),
    'no-trustline': text(
      ({ asset }: WaitDetails) => `Trustline for ${asset} missing.`,
      ({ asset }) => `Falta la línea de confianza para ${asset}.`,
    ),
    'not-authorized': text(
      ({ asset }: WaitDetails) =>
        `The issuer has not authorized the trustline for ${asset}. It is checked again.`,
      ({ asset }) => `El emisor no ha autorizado la línea de confianza para ${asset}. Se comprueba otra vez.`,
    ),
    'trustline-full': text(
      ({ asset }: WaitDetails) => `The trustline for ${asset} cannot hold the amount.`,
      ({ asset }) => `En la línea de confianza para ${asset} no cabe el importe.`,
    ),
    'memo-required': text(
      (_: WaitDetails) => 'The account asks for a memo with each payment (SEP-29), and this one has none.',
      () => 'La cuenta pide un memo en cada pago (SEP-29), y este no lleva ninguno.',
    ),
    unproven: text(
      (_: WaitDetails) => 'You must say whether it was paid: see the incident under Ledger.',
      () => 'Usted debe decir si se pagó: vea el incidente en la sección de la red.',
    ),
    screening: text(
      (_: WaitDetails) => 'You must decide about a hit under Compliance.',
      () => 'Usted debe decidir sobre una coincidencia en la sección de cumplimiento.',
    ),
    identity: text(
      (_: WaitDetails) =>
        'The identity of the customer was rejected. You can refund it. It is paid if the customer is accepted.',
      () =>
        'La identidad del cliente fue rechazada. Usted puede reembolsarlo. Se paga si el cliente es aceptado.',
    ),
    debt: text(
      (_: WaitDetails) =>
        'The customer disputes a payment, or the bank took one back. It is paid once the dispute ends, they paid again, or you write it off.',
      () =>
        'El cliente disputa un pago o el banco retiró uno. Se paga cuando la disputa termine, lo pague de nuevo o usted lo dé por perdido.',
    ),
    'travel-data': text(
      ({ fields }: WaitDetails) =>
        `The travel rule asks for more about the customer: ${fields}. It is paid once the customer sends it by SEP-12.`,
      ({ fields }) =>
        `La regla de viaje pide más datos del cliente: ${fields}. Se paga cuando el cliente los envíe por SEP-12.`,
    ),
    'travel-answer': text(
      (_: WaitDetails) =>
        'The provider on the other side has not answered by the travel rule. Your team can let it move without an answer under Compliance.',
      _ =>
        'El proveedor del otro lado no ha respondido por la regla de viaje. Su equipo puede dejarlo seguir sin respuesta en Cumplimiento.',
    ),
    'other-holder': text(
      (_: WaitDetails) =>
        'The bank named another holder of this account than who is to be paid. Look at the lines of the account under Bank files, then resend it or refund it.',
      () =>
        'El banco nombró a otro titular de esta cuenta, no a quien se va a pagar. Mire las líneas de la cuenta en los archivos bancarios y luego reenvíelo o reembólselo.',
    ),
    proof: text(
      (_: WaitDetails) =>
        'Its payment is being proven by the signatures of validators, which are published every few minutes.',
      () => 'Su pago se está probando con las firmas de los validadores, que se publican cada pocos minutos.',
    ),
    unbound: text(
      (_: WaitDetails) =>
        'It, or what was agreed, was changed in the database. Two people resend it as it is, or refund it.',
      () =>
        'Esto, o lo acordado, se cambió en la base de datos. Dos personas lo reenvían como está, o lo devuelven.',
    ),
    refused: text(
      ({ error }: WaitDetails) => `It was refused: ${error}`,
      ({ error }) => `Fue rechazado: ${error}`,
    ),
    unavailable: text(
      ({ error }: WaitDetails) => `The network does not take it at the moment: ${error}`,
      ({ error }) => `La red no lo acepta en este momento: ${error}`,
    ),
  } satisfies Record<WaitCode, unknown>,
})
