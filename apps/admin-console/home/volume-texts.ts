import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const volume = catalogue({
  title: text('Volume', 'Volumen'),
  lead: text(
    'What anchors moved in the last 14 days, by their own journals. Days are UTC.',
    'Lo que movieron los anchors en los últimos 14 días, según sus propios diarios. Los días son UTC.',
  ),
  none: text('No anchor has moved anything to show', 'Ningún anchor tiene movimientos que mostrar'),
  byDay: text('Transactions by day', 'Transacciones por día'),
  byAsset: text('Volume by asset', 'Volumen por activo'),
  byRail: text('Money by rail', 'Dinero por método de pago'),
  deposits: text('Deposits', 'Depósitos'),
  withdrawals: text('Withdrawals', 'Retiros'),
  anchor: text('Anchor', 'Anchor'),
  rail: text('Rail', 'Método de pago'),
  in: text('In', 'Entra'),
  out: text('Out', 'Sale'),
  transactions: text(
    (count: number) => (count === 1 ? '1 transaction' : `${count} transactions`),
    count => (count === 1 ? '1 transacción' : `${count} transacciones`),
  ),
  amount: text(
    (amount: string, code: string, count: number) =>
      `${amount} ${code} in ${count} ${count === 1 ? 'transaction' : 'transactions'}`,
    (amount, code, count) => `${amount} ${code} en ${count} ${count === 1 ? 'transacción' : 'transacciones'}`,
  ),
  missing: text(
    (names: string) => `Not counted, since they sleep or did not answer: ${names}`,
    names => `Sin contar, porque duermen o no respondieron: ${names}`,
  ),
})
