import type { ExportName } from '@windlass/contracts/platform/exports.ts'
import type { Difference, Reconciliation, resolutions } from '@windlass/contracts/anchor/reconciliation.ts'
import { byLanguage, catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

type Result = NonNullable<Reconciliation['last']>['checks'][number]['result']

export const texts = catalogue({
  title: text('Reconciliation', 'Conciliación'),
  lead: text(
    'Journal, ledger and rails are compared every hour. A difference stays open until it is gone, or until you say why it needs nothing more.',
    'El diario, la red y los medios de pago se comparan cada hora. Una diferencia queda abierta hasta que desaparece o hasta que usted indica por qué no hace falta nada más.',
  ),
  compare: text('Compare now', 'Comparar ahora'),
  failed: text('The comparison failed', 'La comparación falló'),
  last: text(
    (when: string) => `Last compared ${when}`,
    when => `Última comparación ${when}`,
  ),
  never: text('Not compared yet', 'Todavía sin comparar'),
  results: {
    equal: text('Equal', 'Igual'),
    different: text('Different', 'Diferente'),
    'not-checked': text('Not checked', 'Sin comparar'),
  } satisfies Record<Result, string>,
  kinds: {
    treasury: text('Distribution account', 'Cuenta de distribución'),
    customers: text('Owed to customers', 'Debido a clientes'),
    'bank-account': text('Bank account', 'Cuenta bancaria'),
    'statement-missing': text('Missing statement', 'Extracto que falta'),
    'bank-balance': text('Bank’s balance', 'Saldo del banco'),
    'payout-open': text('Payout under way', 'Pago en curso'),
    'payout-unknown': text('Unknown payout', 'Pago desconocido'),
    'payout-missing': text('Missing payout', 'Pago que falta'),
    'payout-amount': text('Amount of a payout', 'Importe de un pago'),
    'payment-unconfirmed': text('Unconfirmed payment', 'Pago sin confirmar'),
    'closed-period': text('Closed period', 'Periodo cerrado'),
    'deposit-taken-back': text('Deposit taken back', 'Depósito retirado'),
    'decision-doubtful': text('Doubtful decision', 'Decisión dudosa'),
    'payment-disputed': text('Disputed payment', 'Pago disputado'),
  } satisfies Record<Difference['kind'], string>,
  safeguarding: {
    title: text('Customers’ money', 'Dinero de clientes'),
    lead: text(
      'What you owe to customers, and what is there for them. Your own accounts are not counted.',
      'Lo que debe a los clientes y lo que hay para ellos. Sus cuentas propias no se cuentan.',
    ),
    covered: text('Covered', 'Cubierto'),
    short: text('Short', 'Falta dinero'),
    total: text(
      (difference: string) => `Difference over all currencies, at present rates: ${difference}.`,
      difference => `Diferencia entre todas las monedas, al cambio actual: ${difference}.`,
    ),
    currency: text('Currency', 'Moneda'),
    owed: text('Owed', 'Debido'),
    there: text('There', 'Disponible'),
  },
  states: {
    open: text('Open', 'Abierta'),
    resolved: text('Resolved', 'Resuelta'),
    gone: text('Gone', 'Desaparecida'),
  } satisfies Record<Difference['status'], string>,
  open: {
    title: text('Open differences', 'Diferencias abiertas'),
    lead: text(
      'Find out what each one is, and correct its cause where you can.',
      'Averigüe qué es cada una y corrija la causa donde pueda.',
    ),
    empty: {
      title: text('No open differences', 'Ninguna diferencia abierta'),
      detail: text('Journal, ledger and rails agree.', 'El diario, la red y los medios de pago coinciden.'),
    },
    columns: {
      kind: text('Difference', 'Diferencia'),
      amount: text('Amount', 'Importe'),
      age: text('Found', 'Encontrada'),
      assigned: text('Assigned to', 'Asignada a'),
      detail: text('What differs', 'Qué difiere'),
      actions: text('Actions', 'Acciones'),
    },
    nobody: text('Nobody', 'Nadie'),
    notDue: text(
      (when: string) => `No alarm until ${when}`,
      when => `Sin aviso hasta el ${when}`,
    ),
    saidBy: text(
      (who: string) => `Said by ${who}`,
      who => `Lo dijo ${who}`,
    ),
    pending: text(
      (who: string, what: string) => `${who} wants to resolve it: ${what}`,
      (who, what) => `${who} quiere resolverla: ${what}`,
    ),
    edit: text('Edit', 'Editar'),
    editWhat: text(
      (kind: string, amount: string) => `Edit ${kind}, ${amount}`,
      (kind, amount) => `Editar ${kind}, ${amount}`,
    ),
  },
  ended: {
    title: text('Ended differences', 'Diferencias terminadas'),
    lead: text(
      'Resolved by a person, or gone by itself.',
      'Resueltas por una persona o desaparecidas por sí mismas.',
    ),
    empty: {
      title: text('None yet', 'Ninguna todavía'),
      detail: text('Differences that ended appear here.', 'Las diferencias terminadas aparecen aquí.'),
    },
    columns: {
      kind: text('Difference', 'Diferencia'),
      amount: text('Amount', 'Importe'),
      status: text('Status', 'Estado'),
      at: text('Ended', 'Terminada'),
      reason: text('Reason', 'Motivo'),
    },
    gone: text(
      'A later comparison did not find it any more.',
      'Una comparación posterior ya no la encontró.',
    ),
  },
  form: {
    assign: {
      label: text('Assigned to', 'Asignada a'),
      save: text('Assign', 'Asignar'),
      failed: text('The difference was not assigned', 'La diferencia no se asignó'),
    },
    resolve: {
      title: text('Resolve', 'Resolver'),
      lead: text(
        'Above the limit of your settings, and where it is your own word, a second person approves it. If the same difference is found again with another amount, it opens again.',
        'Por encima del límite de sus ajustes, y si es su propia palabra, lo aprueba una segunda persona. Si la misma diferencia se encuentra otra vez con otro importe, se abre de nuevo.',
      ),
      resolution: {
        label: text('What it was', 'Qué era'),
        missing: text('Choose what it was.', 'Elija qué era.'),
        choices: {
          timing: text('The other side comes later', 'El otro lado llega más tarde'),
          'bank-charge': text('A charge of the bank', 'Un cargo del banco'),
          'entered-wrong': text('Something was entered wrong', 'Algo se introdujo mal'),
          'provider-error': text('A mistake of the provider', 'Un error del proveedor'),
          'decided-elsewhere': text(
            'A decision or an entry settled it',
            'Lo resolvió una decisión o un asiento',
          ),
          'written-off': text('Nobody will settle it', 'Nadie lo resolverá'),
          other: text('Something else', 'Otra cosa'),
        } satisfies Record<(typeof resolutions)[number], string>,
      },
      reason: {
        label: text('Reason', 'Motivo'),
        hint: text(
          'What it was, and what was done. Everyone in the organization can read it.',
          'Qué fue y qué se hizo. Todos en la organización pueden leerlo.',
        ),
        missing: text('Enter a reason.', 'Indique un motivo.'),
      },
      approve: text('Approve', 'Aprobar'),
      reject: text('Reject', 'Rechazar'),
      own: text(
        `You asked for this. Another ${decider.finance} approves it.`,
        `Usted lo pidió. Lo aprueba otra ${decider.finance}.`,
      ),
      save: text('Resolve', 'Resolver'),
      failed: text('The difference was not resolved', 'La diferencia no se resolvió'),
    },
  },
  exports: {
    title: text('Exports', 'Exportaciones'),
    lead: text(
      'Records of a period, from the journal. Days are in its time zone.',
      'Registros de un periodo, del diario. Los días son de su zona horaria.',
    ),
    from: text('From', 'Desde'),
    to: text('To', 'Hasta'),
    name: text('File', 'Archivo'),
    names: {
      'statement.pdf': text('Statement to print (PDF)', 'Extracto para imprimir (PDF)'),
      'journal.csv': text('Journal (CSV)', 'Diario (CSV)'),
      'journal.json': text('Journal (JSON)', 'Diario (JSON)'),
      'fees.csv': text('Fees earned (CSV)', 'Comisiones ganadas (CSV)'),
      'rail.camt.053.xml': text('Statement of a rail (camt.053)', 'Extracto de un medio de pago (camt.053)'),
      'rail.ofx': text('Statement of a rail (OFX)', 'Extracto de un medio de pago (OFX)'),
      'datev.csv': text('Journal for DATEV (EXTF)', 'Diario para DATEV (EXTF)'),
      'xero-journal.csv': text('Journal for Xero (CSV)', 'Diario para Xero (CSV)'),
      'quickbooks-journal.csv': text('Journal for QuickBooks (CSV)', 'Diario para QuickBooks (CSV)'),
      'xero-bank.csv': text(
        'Statement of a rail for Xero (CSV)',
        'Extracto de un medio de pago para Xero (CSV)',
      ),
      'quickbooks-bank.csv': text(
        'Statement of a rail for QuickBooks (CSV)',
        'Extracto de un medio de pago para QuickBooks (CSV)',
      ),
      'income.csv': text('Income and costs by month (CSV)', 'Ingresos y gastos por mes (CSV)'),
      'volumes.csv': text('Volumes by month (CSV)', 'Volúmenes por mes (CSV)'),
      'customer.csv': text('Statement of a customer (CSV)', 'Extracto de un cliente (CSV)'),
      'carf.csv': text('Facts for DAC8 and CARF (CSV)', 'Datos para DAC8 y CARF (CSV)'),
      '1099-da.csv': text('Facts for form 1099-DA (CSV)', 'Datos para el formulario 1099-DA (CSV)'),
    } satisfies Record<ExportName, string>,
    rail: text('Rail', 'Medio de pago'),
    currency: text('Currency', 'Moneda'),
    customer: text('Customer', 'Cliente'),
    customerHint: text('Their id, as in Customers', 'Su id, como en Clientes'),
    currencyHint: text(
      'Such as EUR. Empty: that of your first asset.',
      'Como EUR. Vacía: la de su primer activo.',
    ),
    download: text('Download', 'Descargar'),
    failed: text('The file was not made', 'El archivo no se creó'),
    day: text('Enter a day.', 'Indique un día.'),
    order: text('Must not be before the first day.', 'No puede ser anterior al primer día.'),
  },
})

/** Names of the comparisons, which the anchor says in English; one of a later release keeps its own. */
export const checkNames = byLanguage<Partial<Record<string, string>>>(
  {},
  {
    'Distribution account': 'Cuenta de distribución',
    Customers: 'Clientes',
    'Bank accounts': 'Cuentas bancarias',
    'Missing statements': 'Extractos que faltan',
    'Balances of banks': 'Saldos de los bancos',
    'Decisions about lines': 'Decisiones sobre líneas',
    'Payments by a person’s word': 'Pagos según una persona',
    'Closed periods': 'Periodos cerrados',
    'Payouts under way': 'Pagos en curso',
    'Payouts at providers': 'Pagos en los proveedores',
    'Disputes at providers': 'Disputas en los proveedores',
    'Deposits taken back': 'Depósitos retirados',
  },
)
