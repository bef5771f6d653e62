import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const transactions: Translation<typeof english.transactions> = {
  title: 'Transacciones',
  lead: 'Sus depósitos y retiros en los anchors que usa, con las billeteras que demostró que son suyas.',
  search: 'Buscar transacciones',
  columns: {
    kind: 'Tipo',
    anchor: 'Anchor',
    amount: 'Importe en la red',
    railAmount: 'Importe en el banco',
    at: 'Creada',
    status: 'Estado',
  },
  kinds: { deposit: 'Depósito', withdrawal: 'Retiro' },
  fields: {
    fee: 'Comisión',
    updated: 'Último cambio',
    wallet: 'Billetera',
    ledger: 'Transacción en la red',
    id: 'ID de la transacción',
  },
  statuses: {
    new: 'Creada',
    identifying: 'Verificando la identidad',
    awaiting_funds: 'Esperando su pago',
    funded: 'Pago recibido',
    awaiting_trust: 'Esperando la línea de confianza',
    paying_out: 'Pagando',
    completed: 'Completada',
    sent_back: 'Devuelto por su banco',
    returning: 'Reembolsando',
    returned: 'Reembolsada',
    expired: 'Caducada',
    failed: 'Fallida',
  },
  unavailable: {
    title: names => `Sin respuesta de ${names}`,
    detail: 'Faltan sus transacciones en esta lista. Están a salvo: reintente en un minuto.',
  },
  empty: {
    title: 'Ninguna transacción todavía',
    filtered: 'Ninguna transacción coincide con los filtros',
    detail: 'Cuando deposite o retire en un anchor con una billetera demostrada, aparecerá aquí.',
  },
}
