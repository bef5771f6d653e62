import type { OpenItem } from '@windlass/contracts/anchor/journal.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  period: {
    title: text('Close a period', 'Cerrar un periodo'),
    lead: text(
      'Nothing counts in a closed period any more. What is booked late counts on the next open day, with its true date.',
      'En un periodo cerrado ya no cuenta nada. Lo que se registra tarde cuenta en el siguiente día abierto, con su fecha verdadera.',
    ),
    kind: text('Period', 'Periodo'),
    kinds: { month: text('Month', 'Mes'), day: text('Day', 'Día') },
    day: text('Day', 'Día'),
    dayOfMonth: text('Any day of the month', 'Un día del mes'),
    days: text(
      (from: string, to: string) => `${from} to ${to}`,
      (from, to) => `${from} a ${to}`,
    ),
    over: text('This period is over.', 'Este periodo ha terminado.'),
    notOver: text(
      'This period is not over: its figures are provisional, and it cannot be closed yet.',
      'Este periodo no ha terminado: sus cifras son provisionales y todavía no se puede cerrar.',
    ),
    closed: text('This period is closed.', 'Este periodo está cerrado.'),
    nothingOpen: text('Nothing is open.', 'No hay nada abierto.'),
  },
  open: {
    title: text('Open at its end', 'Abierto a su fin'),
    'lines-undecided': text('Lines of statements without a decision', 'Líneas de extractos sin decisión'),
    suspense: text('Money in suspense', 'Dinero pendiente de aclarar'),
    kept: text('Money of yours without an account', 'Dinero propio sin cuenta'),
    'in-transit': text('Money in transit', 'Dinero en tránsito'),
    differences: text('Open differences', 'Diferencias abiertas'),
    'payments-unconfirmed': text(
      'Payments that only a person confirmed',
      'Pagos que solo confirmó una persona',
    ),
    'decisions-waiting': text(
      'Decisions that wait for a second person',
      'Decisiones pendientes de una segunda persona',
    ),
    'payouts-open': text('Payouts under way', 'Pagos en curso'),
    'statement-missing': text('Missing statements', 'Extractos que faltan'),
    unreadUntil: text(
      (account: string, day: string) => `${account}: read until ${day}`,
      (account, day) => `${account}: leída hasta el ${day}`,
    ),
    neverRead: text(
      (account: string) => `${account}: no statement was read`,
      account => `${account}: no se leyó ningún extracto`,
    ),
    'statement-not-read': text(
      'Accounts whose statements end before the period',
      'Cuentas cuyos extractos terminan antes que el periodo',
    ),
  } satisfies Record<OpenItem['kind'] | 'title', string> & Record<string, unknown>,
  balances: {
    title: text('Trial balance', 'Balance de comprobación'),
    lead: text(
      'Negative: owed to others, earned, issued, or brought in. Choose an amount to see what it comes from.',
      'Negativo: debido a otros, ganado, emitido o aportado. Elija un importe para ver de dónde viene.',
    ),
    account: text('Account', 'Cuenta'),
    opening: text('Before', 'Antes'),
    closing: text('At its end', 'A su fin'),
    none: text('No entries yet', 'Ningún asiento todavía'),
  },
  late: {
    title: text('Booked late', 'Registrado tarde'),
    lead: text(
      'These entries belong to days that were closed when they were recorded. This is by how much they change each account.',
      'Estos asientos son de días que estaban cerrados cuando se registraron. Cambian cada cuenta en este importe.',
    ),
    count: text(
      (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
      count => (count === 1 ? '1 asiento' : `${count} asientos`),
    ),
    amount: text('Amount', 'Importe'),
  },
  close: {
    send: text('Close the period', 'Cerrar el periodo'),
    reason: text('Reason', 'Motivo'),
    hint: text(
      'Something is open. Say why you close the period nevertheless: it is in what is signed.',
      'Hay algo abierto. Indique por qué cierra el periodo de todos modos: forma parte de lo que se firma.',
    ),
    missing: text('Enter the reason.', 'Escriba el motivo.'),
    failed: text('The period was not closed', 'El periodo no se cerró'),
  },
  closes: {
    title: text('Closed periods', 'Periodos cerrados'),
    lead: text(
      'Each close is signed with your anchor’s signing key and is in the activity log.',
      'Cada cierre está firmado con la clave de firma de su anchor y está en el registro de actividad.',
    ),
    empty: {
      title: text('Nothing is closed yet', 'Nada cerrado todavía'),
      detail: text('Closed days and months appear here.', 'Aquí aparecen los días y meses cerrados.'),
    },
    by: text('Closed by', 'Cerrado por'),
    at: text('Closed', 'Cerrado'),
    openThen: text('Open then', 'Abierto entonces'),
    none: text('Nothing', 'Nada'),
  },
  settings: {
    title: text('How the journal is kept', 'Cómo se lleva el diario'),
    timeZone: text('Time zone', 'Zona horaria'),
    timeZoneHint: text(
      'Days and months begin and end in it. It counts for entries from now on.',
      'Los días y meses empiezan y terminan en ella. Cuenta para los asientos desde ahora.',
    ),
    stop: text('While customers’ money is short', 'Mientras falta dinero de clientes'),
    stopHint: text(
      'Less is there than you owe to customers. You are notified in any case.',
      'Hay menos de lo que debe a los clientes. Se le notifica en cualquier caso.',
    ),
    stops: {
      no: text('Accept new deposits', 'Aceptar depósitos nuevos'),
      yes: text('Accept no new deposits', 'No aceptar depósitos nuevos'),
    },
    tolerance: text('Bank charges up to', 'Cargos del banco hasta'),
    toleranceHint: text(
      'In units of your first asset. A booking that differs from its payment by no more settles it. 0: you decide about each.',
      'En unidades de su primer activo. Un apunte que difiere de su pago en no más lo liquida. 0: usted decide cada uno.',
    ),
    borne: text('What banks keep of returned payouts', 'Lo que los bancos retienen de pagos devueltos'),
    bearers: {
      anchor: text('You bear it', 'Lo asume usted'),
      customer: text('The customer bears it', 'Lo asume el cliente'),
    },
    consultant: text('Consultant at DATEV', 'Asesor en DATEV'),
    client: text('Client at DATEV', 'Cliente en DATEV'),
    datevHint: text(
      'Only for the export for DATEV: 1001 to 9999999, with the client 1 to 99999.',
      'Solo para la exportación a DATEV: de 1001 a 9999999, con el cliente de 1 a 99999.',
    ),
    datevWrong: text(
      'Enter both numbers as DATEV gave them: a consultant from 1001, a client from 1.',
      'Escriba los dos números como los dio DATEV: un asesor desde 1001, un cliente desde 1.',
    ),
    save: text('Save', 'Guardar'),
    failed: text('The settings were not saved', 'Los ajustes no se guardaron'),
  },
  accounts: {
    title: text('Accounts', 'Cuentas'),
    lead: text(
      'Give each account the number and tax key that it has at your accountant’s. Exports for accounting programs use them.',
      'Dé a cada cuenta el número y la clave de impuesto que tiene en su contabilidad. Las exportaciones para programas contables los usan.',
    ),
    code: text('Number', 'Número'),
    taxKey: text('Tax key', 'Clave de impuesto'),
    heldFor: text('Whose money', 'De quién es el dinero'),
    held: {
      customers: text('Customers’, kept apart', 'De clientes, separado'),
      business: text('Your own', 'Propio'),
    },
    edit: text('Edit', 'Editar'),
    editWhat: text(
      (account: string) => `Edit ${account}`,
      account => `Editar ${account}`,
    ),
    save: text('Save', 'Guardar'),
    failed: text('The account was not changed', 'La cuenta no se cambió'),
  },
})
