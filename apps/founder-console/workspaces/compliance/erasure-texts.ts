import type { ErasureAnswer, erasureChecks } from '@windlass/contracts/anchor/retention.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  action: text('Delete a customer', 'Eliminar a un cliente'),
  lead: text(
    'For a customer who asked by letter, as if they asked with their wallet. Where something is open about them, a second person approves it under Anchor. The answer says what to write to them, and is the same then.',
    'Para un cliente que lo pidió por carta, como si lo pidiera con su billetera. Si hay algo abierto sobre él, una segunda persona lo aprueba en Anchor. La respuesta dice qué escribirle, y es la misma entonces.',
  ),
  id: text('Customer ID', 'ID del cliente'),
  receivedOn: text('The letter came on', 'La carta llegó el'),
  identity: text('How you know that it is theirs', 'Cómo sabe que es suya'),
  checks: {
    document: text('A copy of their identity document', 'Una copia de su documento de identidad'),
    'known-wallet': text('A signature of their wallet', 'Una firma de su billetera'),
    'account-details': text('Details that only they know', 'Datos que solo ellos conocen'),
    'in-person': text('They came in person', 'Vinieron en persona'),
    'certified-letter': text('A certified letter', 'Una carta certificada'),
  } satisfies Record<(typeof erasureChecks)[number], string>,
  note: text('What shows it', 'Qué lo demuestra'),
  noteHint: text(
    'Where the letter is kept, and what you compared. It is in Activity, without what the letter says.',
    'Dónde se guarda la carta y qué comparó. Está en Actividad, sin lo que dice la carta.',
  ),
  missing: text('Fill this in.', 'Complete este campo.'),
  send: text('Delete', 'Eliminar'),
  failed: text('The customer was not deleted', 'El cliente no se eliminó'),
  done: text('The customer is deleted', 'El cliente está eliminado'),
  nothingKept: text('Nothing is kept of them.', 'No se guarda nada de él.'),
  kept: text(
    (what: string, day: string) => `The law asks to keep ${what}, until ${day}.`,
    (what, day) => `La ley pide guardar ${what}, hasta el ${day}.`,
  ),
  kinds: {
    identity: text('who they are', 'quién es'),
    transactions: text('their transactions', 'sus transacciones'),
    'payment-records': text('records of payments', 'registros de pagos'),
  } satisfies Record<ErasureAnswer['kept'][number], string>,
})
