import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const customers: Translation<typeof english.customers> = {
  title: 'Clientes',
  lead: 'Los clientes de su anchor y el estado de su verificación de identidad. Sus datos personales se quedan en el anchor.',
  search: 'Buscar clientes',
  columns: { account: 'Billetera', memo: 'Memo', since: 'Desde', status: 'Identidad' },
  statuses: {
    ACCEPTED: 'Verificada',
    PROCESSING: 'Pendiente',
    REJECTED: 'Rechazada',
    NEEDS_INFO: 'Sin verificar',
  },
  detail: {
    title: 'Cliente',
    id: 'ID del cliente',
    checked: 'Fin de la verificación de identidad',
    names: 'Nombres',
    namesDiffer: 'Distintos',
    namesDifferHint:
      'El cliente dio un nombre distinto del de su documento. Los dos se comparan con las listas de sanciones. Una clave de API con el permiso write los muestra.',
    held: 'Datos que tiene el anchor',
    heldHint:
      'Aquí solo se muestran los nombres. Los valores requieren una clave de API con el permiso write.',
    nothingHeld: 'Ninguno',
    tiers: 'Decisiones sobre el nivel',
    transactions: 'Últimas transacciones',
    allTransactions: 'Todas las transacciones de esta billetera',
    noTransactions: 'Ninguna transacción todavía',
  },
  empty: {
    title: 'Ningún cliente todavía',
    filtered: 'Ningún cliente coincide con los filtros',
    detail: 'Un cliente aparece con su primer depósito, retiro o solicitud SEP-12.',
  },
}
