import type { DeveloperTransactionStatus } from '@windlass/contracts/anchor/developer-api.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const transactions = catalogue({
  title: text('Transactions', 'Transacciones'),
  lead: text(
    'Deposits and withdrawals at your anchor, newest first.',
    'Depósitos y retiros en su anchor, los más nuevos primero.',
  ),
  search: text('Filter transactions', 'Filtrar las transacciones'),
  export: { csv: text('Export CSV', 'Exportar CSV'), json: text('Export JSON', 'Exportar JSON') },
  exportFailed: text('The export failed', 'La exportación falló'),
  totals: text(
    (deposits: string, withdrawals: string) => `Completed: ${deposits} deposited, ${withdrawals} withdrawn.`,
    (deposits, withdrawals) => `Completado: ${deposits} depositado, ${withdrawals} retirado.`,
  ),
  totalsOfShown: text(
    (count: number) => `Totals of the ${count} transactions in this list.`,
    count => `Totales de las ${count} transacciones de esta lista.`,
  ),
  columns: {
    kind: text('Type', 'Tipo'),
    amount: text('Ledger amount', 'Importe en la red'),
    railAmount: text('Rail amount', 'Importe del medio de pago'),
    rail: text('Rail', 'Medio de pago'),
    at: text('Created', 'Creada'),
    status: text('Status', 'Estado'),
  },
  kinds: { deposit: text('Deposit', 'Depósito'), withdrawal: text('Withdrawal', 'Retiro') },
  directPayment: text('Direct payment', 'Pago directo'),
  fields: {
    id: text('Transaction ID', 'ID de la transacción'),
    amount: text('Ledger amount', 'Importe en la red'),
    fee: text('Fee', 'Comisión'),
    railAmount: text('Rail amount', 'Importe del medio de pago'),
    account: text('Wallet', 'Billetera'),
    ledger: text('Ledger transaction', 'Transacción en la red'),
    railPayment: text('Rail payment', 'Pago del medio de pago'),
  },
  statuses: {
    new: text('Created', 'Creada'),
    identifying: text('Verifying identity', 'Verificando la identidad'),
    awaiting_funds: text('Awaiting funds', 'Esperando los fondos'),
    funded: text('Funds received', 'Fondos recibidos'),
    awaiting_trust: text('Awaiting trustline', 'Esperando la línea de confianza'),
    paying_out: text('Paying out', 'Pagando'),
    completed: text('Completed', 'Completada'),
    sent_back: text('Sent back by the bank', 'Devuelto por el banco'),
    returning: text('Refunding', 'Reembolsando'),
    returned: text('Refunded', 'Reembolsada'),
    expired: text('Expired', 'Caducada'),
    failed: text('Failed', 'Fallida'),
  } satisfies Record<DeveloperTransactionStatus, Text> as Record<string, Text>,
  memo: text(
    (memo: string) => `memo ${memo}`,
    memo => `memo ${memo}`,
  ),
  history: text('Timeline', 'Cronología'),
  journal: text('Journal', 'Diario'),
  notes: {
    title: text('Notes', 'Notas'),
    label: text('New note', 'Nota nueva'),
    hint: text('For your team. Customers never see it.', 'Para su equipo. Los clientes nunca la ven.'),
    missing: text('Enter a note', 'Escriba una nota'),
    add: text('Add note', 'Añadir la nota'),
    failed: text('The note was not added', 'La nota no se añadió'),
  },
  payments: text('Payments on the ledger', 'Pagos en la red'),
  purposes: {
    deposit: text('Payout', 'Pago'),
    refund: text('Refund', 'Reembolso'),
    reclaim: text('Unclaimed balance taken back', 'Saldo no reclamado recuperado'),
    redelivery: text('Paid after an unclaimed balance', 'Pagado tras un saldo no reclamado'),
  },
  paymentStatuses: {
    queued: text('Waiting', 'En espera'),
    paid: text('Paid', 'Pagado'),
    canceled: text('Canceled', 'Cancelado'),
  },
  networkFee: text(
    (fee: string) => `Network fee ${fee} XLM`,
    fee => `Comisión de la red ${fee} XLM`,
  ),
  empty: {
    title: text('No transactions yet', 'Ninguna transacción todavía'),
    filtered: text('No transaction matches the filters', 'Ninguna transacción coincide con los filtros'),
    detail: text(
      'When a wallet starts a deposit or a withdrawal at your anchor, it appears here.',
      'Cuando una billetera inicia un depósito o un retiro en su anchor, aparece aquí.',
    ),
  },
})
