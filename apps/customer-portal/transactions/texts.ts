import type { DeveloperTransactionStatus } from '@windlass/contracts/anchor/developer-api.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const transactions = catalogue({
  title: text('Transactions', 'Transacciones'),
  lead: text(
    'Your deposits and withdrawals at the anchors you use, over the wallets that are proven to be yours.',
    'Sus depósitos y retiros en los anchors que usa, con las billeteras que demostró que son suyas.',
  ),
  search: text('Find transactions', 'Buscar transacciones'),
  columns: {
    kind: text('Type', 'Tipo'),
    anchor: text('Anchor', 'Anchor'),
    amount: text('Ledger amount', 'Importe en la red'),
    railAmount: text('Bank amount', 'Importe en el banco'),
    at: text('Created', 'Creada'),
    status: text('Status', 'Estado'),
  },
  kinds: { deposit: text('Deposit', 'Depósito'), withdrawal: text('Withdrawal', 'Retiro') },
  fields: {
    fee: text('Fee', 'Comisión'),
    updated: text('Last change', 'Último cambio'),
    wallet: text('Wallet', 'Billetera'),
    ledger: text('Ledger transaction', 'Transacción en la red'),
    id: text('Transaction ID', 'ID de la transacción'),
  },
  statuses: {
    new: text('Created', 'Creada'),
    identifying: text('Verifying identity', 'Verificando la identidad'),
    awaiting_funds: text('Awaiting your payment', 'Esperando su pago'),
    funded: text('Payment received', 'Pago recibido'),
    awaiting_trust: text('Awaiting trustline', 'Esperando la línea de confianza'),
    paying_out: text('Paying out', 'Pagando'),
    completed: text('Completed', 'Completada'),
    sent_back: text('Sent back by your bank', 'Devuelto por su banco'),
    returning: text('Refunding', 'Reembolsando'),
    returned: text('Refunded', 'Reembolsada'),
    expired: text('Expired', 'Caducada'),
    failed: text('Failed', 'Fallida'),
  } satisfies Record<DeveloperTransactionStatus, Text> as Record<string, Text>,
  unavailable: {
    title: text(
      (names: string) => `No answer from ${names}`,
      names => `Sin respuesta de ${names}`,
    ),
    detail: text(
      'Transactions there are missing from this list. They are safe: retry in a minute.',
      'Faltan sus transacciones en esta lista. Están a salvo: reintente en un minuto.',
    ),
  },
  empty: {
    title: text('No transactions yet', 'Ninguna transacción todavía'),
    filtered: text('No transaction matches the filters', 'Ninguna transacción coincide con los filtros'),
    detail: text(
      'When you deposit or withdraw at an anchor with a proven wallet, it appears here.',
      'Cuando deposite o retire en un anchor con una billetera demostrada, aparecerá aquí.',
    ),
  },
})
