import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './action-texts.ts'

export const transactionActions: Translation<typeof english.texts> = {
  title: 'Acciones',
  kinds: {
    ...{ cancel: 'Cancelar', refund: 'Devolver', resend: 'Reenviar', 'mark-paid': 'Marcar como pagada' },
    'pay-again': 'Pagar de nuevo',
  },
  statuses: { waiting: 'Pendiente de aprobación', done: 'Hecha', rejected: 'Rechazada' },
  requested: who => `La pidió ${who}`,
  approved: who => `La aprobó ${who}`,
  rejected: who => `La rechazó ${who}`,
  payment: id => `Pago ${id}`,
  own: 'La aprueba otro propietario o administrador.',
  approve: 'Aprobar',
  approveWhat: action => `Aprobar: ${action}`,
  reject: 'Rechazar',
  rejectWhat: action => `Rechazar: ${action}`,
  decisionFailed: 'La decisión no se registró',
  kind: 'Acción',
  kindMissing: 'Elija una acción.',
  hints: {
    cancel: 'Termina la transacción. El dinero que aún llegue se devuelve.',
    refund: 'Devuelve el pago del cliente: un depósito por el medio de pago, un retiro en la red.',
    resend: 'Intenta de inmediato lo que espera, con el mismo identificador.',
    'mark-paid': 'Registra un pago que usted ha visto y que el medio de pago no comunicó.',
    'pay-again': 'Paga por el medio de pago lo que el banco devolvió, como un pago nuevo.',
  },
  paymentId: {
    label: 'ID del pago',
    hint: 'Como lo llama el banco o el proveedor. Es su prueba.',
    missing: 'Introduzca el ID del pago.',
  },
  account: {
    title: 'Otra cuenta',
    lead: 'Déjela vacía para pagar a la misma cuenta. Otra necesita un segundo propietario o administrador.',
    dest: 'Cuenta',
    extra: 'Banco',
    name: 'Titular de la cuenta',
    missing: 'Escriba también la cuenta.',
    to: account => `A otra cuenta: ${account}`,
  },
  reason: {
    label: 'Motivo',
    hint: 'Para su equipo y el registro de auditoría.',
    missing: 'Introduzca el motivo.',
  },
  send: 'Realizar la acción',
  failed: 'La acción no se realizó',
}
