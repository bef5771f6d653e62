import { text } from '@windlass/ui/catalogue.ts'

const back = text('the payment was refunded', 'el pago se reembolsó')
const another = text('another payment was counted as it', 'otro pago se contó como este')
const taken = text(
  'the payment was not the customer’s, or their bank took it back',
  'el pago no era del cliente, o su banco lo retiró',
)
const instead = text('the money goes back instead', 'en su lugar se devuelve el dinero')
const givesBack = text('the anchor gives the payment back', 'el anchor devuelve el pago')
const payoutStayed = text('the payout did not come back', 'el pago no volvió')

/** Why a transaction went from one status to another, for both kinds or for the one that is named. */
const reasons: Readonly<Record<string, string>> = {
  'new identifying': text('the customer must be identified first', 'primero hay que identificar al cliente'),
  'new awaiting_funds': text('the customer agreed to the amounts', 'el cliente aceptó los importes'),
  'identifying awaiting_funds': text('the customer is identified', 'el cliente está identificado'),
  'awaiting_funds funded': text('the payment came as agreed', 'el pago llegó como se acordó'),
  'expired funded': text('the payment came late and was accepted', 'el pago llegó tarde y se aceptó'),
  'awaiting_funds returning': text('the payment is not as agreed', 'el pago no es como se acordó'),
  'expired returning': text(
    'the payment came after it could be accepted',
    'el pago llegó cuando ya no se podía aceptar',
  ),
  'funded awaiting_trust': text(
    'the account cannot hold the asset yet',
    'la cuenta aún no puede tener el activo',
  ),
  'awaiting_trust completed': text(
    'the account can hold it and was paid',
    'la cuenta puede tenerlo y se le pagó',
  ),
  'deposit funded completed': text('the asset was paid on the ledger', 'el activo se pagó en la red'),
  'funded paying_out': text('the rail accepted the payout', 'el medio de pago aceptó el pago'),
  'paying_out completed': text('the rail paid the customer', 'el medio de pago pagó al cliente'),
  'withdrawal funded completed': text('the rail paid at once', 'el medio de pago pagó al momento'),
  'paying_out returning': text(
    'the rail could not pay the customer',
    'el medio de pago no pudo pagar al cliente',
  ),
  'withdrawal funded returning': text('the rail refused the payout', 'el medio de pago rechazó el pago'),
  'deposit funded returning': instead,
  'awaiting_trust returning': instead,
  'returning returned': back,
  'completed sent_back': text(
    'the bank sent the payout back after it was paid',
    'el banco devolvió el pago después de hacerlo',
  ),
  'returned sent_back': text(
    'the bank sent the refund back after it was paid',
    'el banco devolvió el reembolso después de hacerlo',
  ),
  'returning sent_back': text(
    'the rail could not pay the refund',
    'el medio de pago no pudo pagar el reembolso',
  ),
  'sent_back funded': text('the anchor pays it out again', 'el anchor lo paga otra vez'),
  'sent_back returning': givesBack,
  'sent_back completed': payoutStayed,
  'sent_back returned': text('the refund did not come back', 'el reembolso no volvió'),
  'funded awaiting_funds': taken,
  'funded expired': taken,
  'awaiting_trust awaiting_funds': taken,
  'awaiting_trust expired': taken,
  'completed paying_out': another,
  'returning paying_out': payoutStayed,
  'returned returning': another,
  'new failed': text('the request cannot be completed', 'la solicitud no se puede completar'),
  'identifying failed': text(
    'the request can no longer be completed',
    'la solicitud ya no se puede completar',
  ),
  'awaiting_funds failed': text('the anchor canceled it', 'el anchor la canceló'),
  'new expired': text('the customer did not continue in time', 'el cliente no continuó a tiempo'),
  'identifying expired': text(
    'the customer was not identified in time',
    'el cliente no se identificó a tiempo',
  ),
  'awaiting_funds expired': text('no payment came in time', 'ningún pago llegó a tiempo'),
}

/** In the reader's language; undefined: a step that this release does not know. */
export const stepReason = (kind: 'deposit' | 'withdrawal', from: string, to: string): string | undefined =>
  reasons[`${kind} ${from} ${to}`] ?? reasons[`${from} ${to}`]
