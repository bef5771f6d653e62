import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const texts = catalogue({
  title: text('Actions', 'Acciones'),
  kinds: {
    ...{
      cancel: text('Cancel', 'Cancelar'),
      refund: text('Refund', 'Devolver'),
      resend: text('Resend', 'Reenviar'),
      'mark-paid': text('Mark as paid', 'Marcar como pagada'),
    },
    'pay-again': text('Pay again', 'Pagar de nuevo'),
    'write-off': text('Write off', 'Dar por perdida'),
  },
  statuses: {
    waiting: text('Pending approval', 'Pendiente de aprobación'),
    done: text('Done', 'Hecha'),
    rejected: text('Rejected', 'Rechazada'),
  },
  requested: text(
    (who: string) => `Asked for by ${who}`,
    who => `La pidió ${who}`,
  ),
  approved: text(
    (who: string) => `Approved by ${who}`,
    who => `La aprobó ${who}`,
  ),
  rejected: text(
    (who: string) => `Rejected by ${who}`,
    who => `La rechazó ${who}`,
  ),
  payment: text(
    (id: string) => `Payment ${id}`,
    id => `Pago ${id}`,
  ),
  own: text(`Another ${decider.finance} approves it.`, `La aprueba otra ${decider.finance}.`),
  approve: text('Approve', 'Aprobar'),
  approveWhat: text(
    (action: string) => `Approve: ${action}`,
    action => `Aprobar: ${action}`,
  ),
  reject: text('Reject', 'Rechazar'),
  rejectWhat: text(
    (action: string) => `Reject: ${action}`,
    action => `Rechazar: ${action}`,
  ),
  decisionFailed: text('The decision was not recorded', 'La decisión no se registró'),
  kind: text('Action', 'Acción'),
  kindMissing: text('Choose an action.', 'Elija una acción.'),
  hints: {
    cancel: text(
      'Ends the transaction. Money that still comes goes back.',
      'Termina la transacción. El dinero que aún llegue se devuelve.',
    ),
    refund: text(
      'Sends the customer’s payment back: a deposit over the rail, a withdrawal on the ledger.',
      'Devuelve el pago del cliente: un depósito por el medio de pago, un retiro en la red.',
    ),
    resend: text(
      'Tries at once what waits, under the same id.',
      'Intenta de inmediato lo que espera, con el mismo identificador.',
    ),
    'mark-paid': text(
      'Records a payment that you have seen and the rail did not report, or that is in a part of the ledger’s history that is missing.',
      'Registra un pago que usted ha visto y que el medio de pago no comunicó, o que está en una parte que falta del historial de la red.',
    ),
    'pay-again': text(
      'Pays over the rail what the bank sent back, as a new payment.',
      'Paga por el medio de pago lo que el banco devolvió, como un pago nuevo.',
    ),
    'write-off': text(
      'Gives up what the customer owes after their bank took the payment back. Two people decide it.',
      'Renuncia a lo que el cliente debe después de que su banco retirara el pago. Lo deciden dos personas.',
    ),
  },
  paymentId: {
    label: text('ID of the payment', 'ID del pago'),
    hint: text(
      'As the bank or provider names it; of a payment on the ledger the hash of its transaction. It is your evidence.',
      'Como lo llama el banco o el proveedor; de un pago en la red, el hash de su transacción. Es su prueba.',
    ),
    missing: text('Enter the ID of the payment.', 'Introduzca el ID del pago.'),
  },
  account: {
    title: text('Another account', 'Otra cuenta'),
    lead: text(
      `Leave it empty to pay the same account. Another one needs a second ${decider.finance}.`,
      `Déjela vacía para pagar a la misma cuenta. Otra necesita una segunda ${decider.finance}.`,
    ),
    dest: text('Account', 'Cuenta'),
    extra: text('Bank', 'Banco'),
    name: text('Account holder', 'Titular de la cuenta'),
    missing: text('Enter the account too.', 'Escriba también la cuenta.'),
    to: text(
      (account: string) => `To: ${account}`,
      account => `A: ${account}`,
    ),
  },
  sentBack: {
    deposit: text(
      (money: string, rail: string) => `Sends ${money} back to the customer over ${rail}.`,
      (money, rail) => `Devuelve ${money} al cliente por ${rail}.`,
    ),
    withdrawal: text(
      (money: string) => `Sends ${money} back to the customer’s wallet.`,
      money => `Devuelve ${money} a la billetera del cliente.`,
    ),
  },
  reason: {
    label: text('Reason', 'Motivo'),
    hint: text('For your team and the audit log.', 'Para su equipo y el registro de auditoría.'),
    missing: text('Enter the reason.', 'Introduzca el motivo.'),
  },
  send: text('Choose an action', 'Elija una acción'),
  failed: text('The action was not done', 'La acción no se realizó'),
})
