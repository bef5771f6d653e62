/** Each English text, with gaps as `{}`, and its Spanish. Texts of the business server stand here too. */
const texts: Readonly<Record<string, string>> = {
  // SEP-6 and SEP-31: /info and the answers to starts.
  'the rail to pay over': 'el medio por el que se paga',
  'Fees are part of /info and of quotes (SEP-38).':
    'Las comisiones están en /info y en las cotizaciones (SEP-38).',
  'the account that receives {} over {}': 'la cuenta que recibe {} por {}',
  'the account that receives the money': 'la cuenta que recibe el dinero',
  '{} of that account': '{} de esa cuenta',
  'routing number, IFSC or BIC of that account': 'número de ruta, IFSC o BIC de esa cuenta',
  'people and companies who send money': 'personas y empresas que envían dinero',
  'people and companies who are paid in {} over {}': 'personas y empresas a las que se paga en {} por {}',
  'Read the transaction. It has the payment instructions once the customer passed KYC.':
    'Lea la transacción. Tendrá las instrucciones de pago cuando se haya verificado la identidad del cliente.',
  'Over {}.': 'Por {}.',
  'Pay only to the account and memo in the transaction.':
    'Pague solo a la cuenta y con el memo que indica la transacción.',

  // SEP-12: fields and messages.
  'The customer’s given name': 'El nombre del cliente',
  'The customer’s family name': 'Los apellidos del cliente',
  'Where the customer is reached and signs in': 'Donde se contacta al cliente y con el que inicia sesión',
  'Enter the 6-digit code that was emailed to you':
    'Introduzca el código de 6 cifras que se le envió por correo',
  'The given name': 'El nombre',
  'The family name': 'Los apellidos',
  'The postal address, with the country': 'La dirección postal, con el país',
  'bank account number': 'número de cuenta bancaria',
  'bank number': 'número o código del banco',
  'Account number, {}': 'Número de cuenta, {}',
  'Account number': 'Número de cuenta',
  'Routing number, {}': 'Número de ruta (ABA), {}',
  'UPI ID, such as {}': 'ID de UPI, como {}',
  'IFSC, such as {}': 'IFSC, como {}',
  'IBAN, such as {}': 'IBAN, como {}',
  'BIC, only where your bank asks for it': 'BIC, solo si su banco lo pide',
  'The identity could not be verified.': 'No se pudo verificar la identidad.',
  'The identity is being verified.': 'Se está verificando la identidad.',
  'Send the 6-digit code that was emailed as email_address_verification.':
    'Envíe el código de 6 cifras que se mandó por correo como email_address_verification.',
  'This wallet is new to the customer. It continues once the customer confirms it: the email that was sent says how.':
    'Esta billetera es nueva para el cliente. Continúa cuando el cliente la confirme: el correo enviado explica cómo.',
  'The customer is accepted. The transaction continues in a moment.':
    'El cliente está aceptado. La transacción continúa en un momento.',
  'The anchor has no agreement about direct payments with this account.':
    'El anchor no tiene un acuerdo de pagos directos con esta cuenta.',

  // Messages of transactions.
  'Identify yourself by SEP-12 first.': 'Identifíquese primero por SEP-12.',
  'The travel rule asks for more about the customer for this amount. Send it by SEP-12: {}.':
    'La regla de viaje pide más datos del cliente para este importe. Envíelos por SEP-12: {}.',
  'Correct the sender or the receiver by SEP-12: {}.': 'Corrija el remitente o el receptor por SEP-12: {}.',
  'Account number: it is needed': 'Número de cuenta: es necesario',
  'Account number: it is needed; IFSC: it is needed': 'Número de cuenta: es necesario; IFSC: es necesario',
  'The payment is refunded: {}.': 'El pago se reembolsa: {}.',
  'Your payment arrived and the asset was sent to your account. Do not pay again.':
    'Su pago llegó y el activo se envió a su cuenta. No pague de nuevo.',
  'The anchor cannot pay out this amount at the moment. It continues as soon as it can.':
    'El anchor no puede pagar este importe por el momento. Continuará en cuanto pueda.',

  // Errors.
  '{} is required': '{} es obligatorio',
  '{} is required: {}': '{} es obligatorio: {}',
  'asset_code is required': 'asset_code es obligatorio',
  'the asset is not supported; it must be {}': 'el activo no se admite; debe ser {}',
  '{} must be at least {}': '{} debe ser al menos {}',
  '{} must be at most {}': '{} debe ser como máximo {}',
  '{} must be greater than zero': '{} debe ser mayor que cero',
  '{} must be a decimal number': '{} debe ser un número decimal',
  'account must be a Stellar account (G… or M…)': 'account debe ser una cuenta de Stellar (G… o M…)',
  'account is not the account of the token': 'account no es la cuenta del token',
  'type must be one of {}': 'type debe ser uno de {}',
  'kind must be of {}': 'kind debe ser de {}',
  'no payment method is available at the moment': 'ningún medio de pago está disponible por el momento',
  'amount is not that of the quote; it must be its sell_amount':
    'amount no es el de la cotización; debe ser su sell_amount',
  'the quote is for other assets': 'la cotización es para otros activos',
  'the account signed in with a memo before; sign in with the memo of one customer':
    'la cuenta entró antes con un memo; entre con el memo de un cliente',
  'account is not on the ledger; create it before the deposit begins':
    'account no está en la red; créela antes de empezar el depósito',
  'sell_delivery_method is required; it must be one of {}':
    'sell_delivery_method es obligatorio; debe ser uno de {}',
  'buy_delivery_method is required; it must be one of {}':
    'buy_delivery_method es obligatorio; debe ser uno de {}',
  'memo is required: the account wants one with each payment (SEP-29)':
    'memo es obligatorio: la cuenta lo pide en cada pago (SEP-29)',
  '{} must be an address that begins with {}': '{} debe ser una dirección que empiece por {}',
  'There is no transaction with this id.': 'No hay ninguna transacción con este id.',
  'There is no such customer.': 'No existe ese cliente.',
  'Send a token from SEP-10 as Authorization: Bearer.':
    'Envíe un token de SEP-10 como Authorization: Bearer.',
  'The token is not valid or has expired.': 'El token no es válido o ha caducado.',
  'id, stellar_transaction_id or external_transaction_id is required':
    'se necesita id, stellar_transaction_id o external_transaction_id',
}

const GAP = '{}'
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const patterns = Object.entries(texts)
  .filter(([english]) => english.includes(GAP))
  .map(([english, spanish]) => ({
    pattern: new RegExp(`^${english.split(GAP).map(escaped).join('(.+)')}$`),
    parts: spanish.split(GAP),
  }))

/** The Spanish of a text; a text that is not known stays as it is. */
export function inSpanish(text: string): string {
  const whole = Object.hasOwn(texts, text) ? texts[text] : undefined
  if (whole !== undefined) return whole
  for (const { pattern, parts } of patterns) {
    const gaps = pattern.exec(text)?.slice(1)
    if (gaps) return parts.map((part, n) => part + (gaps[n] ?? '')).join('')
  }
  return text
}
