import type { TransferState } from '../tables.ts'

export type Sides = readonly [deposit: string, withdrawal: string]
const both = (text: string): Sides => [text, text]

/** The text in one of two languages, which stand side by side. */
export interface Choose {
  (en: string, es: string): string
  <T>(en: T, es: NoInfer<T>): T
}

export const headlines = (text: Choose): Readonly<Record<TransferState, Sides>> => ({
  new: [text('Deposit', 'Depósito'), text('Withdrawal', 'Retiro')],
  identifying: both(text('We are verifying your identity', 'Estamos verificando su identidad')),
  awaiting_funds: both(text('Waiting for your payment', 'Esperando su pago')),
  funded: both(text('Payment received', 'Pago recibido')),
  awaiting_trust: [text('Add the asset to your wallet', 'Añada el activo en su billetera'), ''],
  paying_out: ['', text('Paying your bank account', 'Pagando a su cuenta bancaria')],
  completed: both(text('Completed', 'Completado')),
  sent_back: [
    text('Your bank sent the refund back', 'Su banco devolvió el reembolso'),
    text('Your bank sent the money back', 'Su banco devolvió el dinero'),
  ],
  returning: both(text('Refunding your payment', 'Estamos reembolsando su pago')),
  returned: both(text('Payment refunded', 'Pago reembolsado')),
  expired: both(text('The time to pay has expired', 'El plazo de pago ha terminado')),
  failed: both(text('Transaction failed', 'La transacción ha fallado')),
})

/** What the customer reads beneath the headline. */
export const explanations = (text: Choose): Readonly<Record<TransferState, Sides>> => ({
  new: ['', ''],
  identifying: ['', ''],
  awaiting_funds: ['', ''],
  funded: [
    text(
      'We are sending the asset to your account. This takes a few seconds.',
      'Estamos enviando el activo a su cuenta. Tarda unos segundos.',
    ),
    text('We are paying your bank account.', 'Estamos pagando a su cuenta bancaria.'),
  ],
  awaiting_trust: [
    text(
      'Your account has no trustline for the asset. After you add it, we send the payment automatically.',
      'Su cuenta no tiene una línea de confianza para el activo. Cuando la añada, enviaremos el pago automáticamente.',
    ),
    '',
  ],
  paying_out: [
    '',
    text(
      'The bank is processing the payment. You can close this page.',
      'El banco está procesando el pago. Puede cerrar esta página.',
    ),
  ],
  completed: [
    text('The asset is in your account.', 'El activo está en su cuenta.'),
    text('The money is in your bank account.', 'El dinero está en su cuenta bancaria.'),
  ],
  sent_back: [
    text(
      'Your bank sent the refund back. We pay it again, and contact you if we need another account.',
      'Su banco devolvió el reembolso. Lo pagamos de nuevo y le contactamos si necesitamos otra cuenta.',
    ),
    text(
      'Your bank sent the money back. We pay it again or refund you, and contact you if we need another account.',
      'Su banco devolvió el dinero. Lo pagamos de nuevo o se lo reembolsamos, y le contactamos si necesitamos otra cuenta.',
    ),
  ],
  returning: both(text('We are refunding the full amount.', 'Le reembolsamos el importe completo.')),
  returned: both(
    text(
      'We refunded the full amount to its sender.',
      'Hemos reembolsado el importe completo a su remitente.',
    ),
  ),
  expired: both(
    text(
      'If you already paid, we still accept the payment or refund it.',
      'Si ya ha pagado, aceptaremos el pago o lo reembolsaremos.',
    ),
  ),
  failed: both(
    text(
      'You were not charged. Start again in your wallet.',
      'No se ha cobrado nada. Empiece de nuevo en su billetera.',
    ),
  ),
})

/** The customer's history of the transfer; the operator's reasons are in the status table. */
export const passed = (text: Choose): Readonly<Record<TransferState, Sides>> => ({
  new: both(text('Created', 'Creada')),
  identifying: both(text('Identity requested', 'Identidad solicitada')),
  awaiting_funds: both(text('You confirmed the amounts', 'Usted confirmó los importes')),
  funded: both(text('Payment received', 'Pago recibido')),
  awaiting_trust: [text('Trustline missing', 'Falta la línea de confianza'), ''],
  paying_out: ['', text('The bank accepted our payment', 'El banco aceptó nuestro pago')],
  completed: both(text('Paid out', 'Pagado')),
  sent_back: [
    text('The bank sent the refund back', 'El banco devolvió el reembolso'),
    text('The bank sent the payment back', 'El banco devolvió el pago'),
  ],
  returning: both(text('Refund started', 'Reembolso iniciado')),
  returned: both(text('Payment refunded', 'Pago reembolsado')),
  expired: both(text('No payment received in time', 'No se recibió el pago a tiempo')),
  failed: both(text('Failed', 'Fallida')),
})
