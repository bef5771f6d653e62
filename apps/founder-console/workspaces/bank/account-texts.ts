import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const texts = catalogue({
  title: text('Bank accounts', 'Cuentas bancarias'),
  lead: text(
    'What the bank says that each account has, and what the journal has of it on that day.',
    'Lo que el banco dice que tiene cada cuenta, y lo que tiene el libro diario ese día.',
  ),
  columns: {
    account: text('Account', 'Cuenta'),
    statement: text('Last statement', 'Último extracto'),
    bank: text('Bank’s balance', 'Saldo del banco'),
    journal: text('Journal', 'Libro diario'),
    gap: text('Gap', 'Diferencia'),
    opening: text('Opening balance', 'Saldo inicial'),
  },
  noStatement: text('None', 'Ninguno'),
  noBalance: text('Unknown', 'Desconocido'),
  equal: text('Equal', 'Igual'),
  since: text(
    (at: string) => `Since ${at}`,
    at => `Desde ${at}`,
  ),
  counts: text(
    (amount: string, day: string) => `${amount} at the end of ${day}`,
    (amount, day) => `${amount} al final del ${day}`,
  ),
  asks: text(
    (amount: string, day: string) => `Asked for approval: ${amount} at the end of ${day}.`,
    (amount, day) => `Aprobación pedida: ${amount} al final del ${day}.`,
  ),
  own: text(
    `You asked for this. Another ${decider.finance} approves it.`,
    `Usted pidió esto. Lo aprueba otra ${decider.finance}.`,
  ),
  approve: text('Approve', 'Aprobar'),
  approveWhat: text(
    (account: string) => `Approve the opening balance of ${account}`,
    account => `Aprobar el saldo inicial de ${account}`,
  ),
  reject: text('Reject', 'Rechazar'),
  rejectWhat: text(
    (account: string) => `Reject the opening balance of ${account}`,
    account => `Rechazar el saldo inicial de ${account}`,
  ),
  say: text('Enter balance', 'Indicar el saldo'),
  sayWhat: text(
    (account: string) => `Enter balance: opening balance of ${account}`,
    account => `Indicar el saldo inicial de ${account}`,
  ),
  failed: text('The opening balance was not changed', 'El saldo inicial no cambió'),
  form: {
    title: text('Opening balance', 'Saldo inicial'),
    lead: text(
      `What the account had before its first statement here. It counts once another ${decider.finance} approves it.`,
      `Lo que tenía la cuenta antes de su primer extracto aquí. Cuenta cuando lo aprueba otra ${decider.finance}.`,
    ),
    amount: text('Amount', 'Importe'),
    side: text('The account was', 'La cuenta estaba'),
    credit: text('In credit', 'Con saldo a favor'),
    overdrawn: text('Overdrawn', 'En descubierto'),
    day: text('At the end of', 'Al final del'),
    dayMissing: text('Enter the day.', 'Indique el día.'),
    reason: {
      label: text('Reason', 'Motivo'),
      missing: text('Enter the reason.', 'Escriba el motivo.'),
    },
    send: text('Ask for approval', 'Pedir aprobación'),
  },
})
