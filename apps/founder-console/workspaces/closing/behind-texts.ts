import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const behind = catalogue({
  open: text(
    (account: string, amount: string) => `${account}, ${amount}: what it comes from`,
    (account, amount) => `${account}, ${amount}: de dónde viene`,
  ),
  title: text('What it comes from', 'De dónde viene'),
  empty: {
    title: text('No entries', 'Ningún asiento'),
    detail: text(
      'This account has no entries until this day.',
      'Esta cuenta no tiene asientos hasta este día.',
    ),
  },
  day: text('Day', 'Día'),
  amount: text('Amount', 'Importe'),
  restsOn: text('Rests on', 'Se basa en'),
  line: text(
    (day: string, amount: string) => `Line of ${day}, ${amount}`,
    (day, amount) => `Línea del ${day}, ${amount}`,
  ),
  decided: text(
    (what: string, who: string) => `${what}, by ${who}:`,
    (what, who) => `${what}, por ${who}:`,
  ),
  kinds: {
    own: text('Money of the business', 'Dinero del negocio'),
    match: text('Payment of a transaction', 'Pago de una transacción'),
    return: text('Sent back', 'Reembolsada'),
    duplicate: text('Listed twice', 'Repetida'),
    reverse: text('Decision reversed', 'Decisión revertida'),
    cancel: text('Cancelled', 'Cancelada'),
    refund: text('Refunded', 'Devuelta'),
    resend: text('Sent again', 'Reenviada'),
    'mark-paid': text('Marked as paid', 'Marcada como pagada'),
    'pay-again': text('Paid again', 'Pagada de nuevo'),
    'write-off': text('Written off', 'Dada por perdida'),
  } as Record<string, Text>,
  manual: text(
    'Written by people: its document is under “Entries that people wrote”.',
    'Escrito por personas: su documento está en «Asientos escritos por personas».',
  ),
  transaction: text('Open the transaction', 'Abrir la transacción'),
})

export const positions = catalogue({
  title: text('Exchange positions', 'Posiciones de cambio'),
  lead: text(
    'Money of other currencies that exchanges left with you, against the units that you owe for it. What is not realised is not booked.',
    'Dinero de otras divisas que los cambios le dejaron, frente a las unidades que debe por él. Lo no realizado no se registra.',
  ),
  money: text('Money', 'Dinero'),
  cost: text('Cost', 'Coste'),
  rate: text('Closing rate', 'Tipo de cierre'),
  value: text('Value', 'Valor'),
  unrealised: text('Not realised', 'No realizado'),
  realised: text('Realised so far', 'Realizado hasta ahora'),
  noRate: text('No rate', 'Sin tipo'),
})
