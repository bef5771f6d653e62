import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const closing = catalogue({
  title: text('Closing', 'Cierre'),
  start: text('Close anchor', 'Cerrar el anchor'),
  lead: text(
    (days: number) =>
      `Once a second administrator approves it, customers read that the anchor closes. New deposits stop. Units are redeemed for at least ${days} days. Then the anchor can be removed.`,
    days =>
      `Cuando otro administrador lo apruebe, los clientes leerán que el anchor cierra. No habrá depósitos nuevos. Las unidades se canjean durante al menos ${days} días. Después se puede eliminar el anchor.`,
  ),
  reasonHint: text(
    'Shown in the audit log and to the other administrators.',
    'Se muestra en el registro de auditoría y a los demás administradores.',
  ),
  until: {
    label: text('Redeem until (UTC)', 'Canje hasta el (UTC)'),
    early: text(
      (days: number) => `Choose a day that is at least ${days} days from now.`,
      days => `Elija un día dentro de al menos ${days} días.`,
    ),
  },
  successor: {
    label: text('Who answers afterwards', 'Quién responde después'),
    hint: text(
      'The person or firm that answers for what is left then.',
      'La persona o empresa que responde de lo que quede entonces.',
    ),
    missing: text('Enter a person or firm', 'Escriba una persona o empresa'),
  },
  contact: {
    label: text('How to reach them', 'Cómo contactar'),
    hint: text(
      'An email or postal address. Customers read it.',
      'Una dirección de correo o postal. Los clientes la leen.',
    ),
    missing: text('Enter an address', 'Escriba una dirección'),
  },
  confirm: text('Ask to close', 'Pedir el cierre'),
  failed: text('Nothing was changed', 'No se cambió nada'),
  states: {
    waiting: text('Waits for a second administrator', 'Espera a otro administrador'),
    announced: text('Announced to customers', 'Anunciado a los clientes'),
    rejected: text('Rejected', 'Rechazado'),
    ended: text('Closed', 'Cerrado'),
  },
  redeem: text(
    (day: string) => `Units are redeemed until ${day}.`,
    day => `Las unidades se canjean hasta el ${day}.`,
  ),
  answers: text(
    (name: string, contact: string) => `Afterwards ${name} answers: ${contact}.`,
    (name, contact) => `Después responde ${name}: ${contact}.`,
  ),
  asked: text(
    (who: string, at: string) => `${who} asked for it on ${at}.`,
    (who, at) => `${who} lo pidió el ${at}.`,
  ),
  own: text(
    'You asked for this. Another administrator approves it.',
    'Usted lo pidió. Lo aprueba otro administrador.',
  ),
  approve: text('Approve closing', 'Aprobar el cierre'),
  reject: text('Reject', 'Rechazar'),
  takeBack: text('Take back', 'Retirar'),
})
