import { type PauseMessage, pauseMessages } from '@windlass/contracts/anchor/anchor-settings.ts'
import { spanishRailLabels } from '@windlass/contracts/platform/anchor-rails.ts'
import { type Choose, explanations, headlines, passed, type Sides } from './state-texts.ts'

/** All texts of the pages in one language; in pairs where deposits and withdrawals differ. */
const textsIn = (lang: 'en' | 'es', text: Choose) => ({
  lang,
  headlines: headlines(text),
  explanations: explanations(text),
  passed: passed(text),
  test: text('No real money moves here.', 'Aquí no se mueve dinero real.'),
  titles: [text('Deposit', 'Depósito'), text('Withdrawal', 'Retiro')] as Sides,
  steps: [
    text('Identity', 'Identidad'),
    text('Amount', 'Importe'),
    text('Payment', 'Pago'),
    text('Done', 'Listo'),
  ],
  stepsLabel: text('Steps', 'Pasos'),
  help: text(
    (mail: string) => `Questions? ${mail}`,
    mail => `¿Preguntas? ${mail}`,
  ),
  copy: text('Copy', 'Copiar'),
  copied: text('Copied', 'Copiado'),
  problem: text('Problem', 'Problema'),
  nothingHere: text('Page not found', 'Página no encontrada'),
  didNotWork: text('Something went wrong', 'Algo ha fallado'),
  backToWallet: text('You can go back to your wallet.', 'Puede volver a su billetera.'),

  whoAreYou: text('Confirm your email', 'Confirme su correo'),
  newWallet: text(
    'We send a code to your email address. You verify your identity once: other anchors accept it too.',
    'Le enviamos un código por correo. Usted verifica su identidad una sola vez: otros anchors también la aceptan.',
  ),
  email: text('Email address', 'Correo electrónico'),
  mailCode: text('Send code', 'Enviar código'),
  enterCode: text('Enter the code', 'Introduzca el código'),
  codeMailed: text(
    (to: string) => `We sent a 6-digit code to ${to}.`,
    to => `Hemos enviado un código de 6 dígitos a ${to}.`,
  ),
  checkEmail: text(
    (domain: string, wallet: string) =>
      `The email names ${domain} and the wallet ${wallet}. Enter the code only here, and only if both are right.`,
    (domain, wallet) =>
      `El correo nombra ${domain} y la billetera ${wallet}. Introduzca el código solo aquí, y solo si ambos son correctos.`,
  ),
  you: text('you', 'usted'),
  code: text('Code', 'Código'),
  continue: text('Continue', 'Continuar'),
  otherAddress: text(
    'Use another address or request a new code',
    'Usar otra dirección o pedir un código nuevo',
  ),
  wrongCode: text('The code is wrong or has expired.', 'El código es incorrecto o ha caducado.'),
  confirmTitle: text('Confirm your wallet', 'Confirme su billetera'),
  confirmWallet: text(
    (to: string, wallet: string) =>
      `We sent an email to ${to}. Open it, sign in to your account and confirm the wallet ${wallet}.`,
    (to, wallet) =>
      `Hemos enviado un correo a ${to}. Ábralo, inicie sesión en su cuenta y confirme la billetera ${wallet}.`,
  ),
  confirmWhy: text(
    'This wallet is new to your account. You confirm it so that nobody else can use your identity. This page then continues automatically.',
    'Esta billetera es nueva en su cuenta. La confirma para que nadie más pueda usar su identidad. Después, esta página continúa automáticamente.',
  ),
  verifyTitle: text('Verify your identity', 'Verifique su identidad'),
  verifyWhy: text(
    'We must verify your identity before your first payment. Our identity provider does this in a few minutes, once: other anchors accept it too.',
    'Debemos verificar su identidad antes de su primer pago. Nuestro proveedor de identidad lo hace en unos minutos, una sola vez: otros anchors también la aceptan.',
  ),
  verify: text('Verify my identity', 'Verificar mi identidad'),
  verifyingTitle: text('Verifying your identity', 'Verificando su identidad'),
  verifyingWhy: text('This page updates automatically.', 'Esta página se actualiza automáticamente.'),
  backToProvider: text('Back to the identity provider', 'Volver al proveedor de identidad'),
  rejectedTitle: text('Verification failed', 'La verificación ha fallado'),
  rejectedWhy: text(
    'We could not verify your identity. You were not charged. Contact us if you think this is a mistake.',
    'No pudimos verificar su identidad. No se le ha cobrado nada. Contáctenos si cree que es un error.',
  ),

  detailsTitle: [
    text(
      (code: string) => `Deposit ${code}`,
      code => `Depositar ${code}`,
    ),
    text(
      (code: string) => `Withdraw ${code}`,
      code => `Retirar ${code}`,
    ),
  ] as const,
  howMuch: [
    text(
      (code: string) => `How much ${code} do you want to receive?`,
      code => `¿Cuánto ${code} quiere recibir?`,
    ),
    text(
      (code: string) => `How much ${code} do you want to send?`,
      code => `¿Cuánto ${code} quiere enviar?`,
    ),
  ] as const,
  limits: text(
    (min: string, max: string, code: string) => `From ${min} to ${max} ${code}`,
    (min, max, code) => `De ${min} a ${max} ${code}`,
  ),
  tooMuch: text(
    (max: string, code: string) => `You can receive at most ${max} ${code} right now.`,
    (max, code) => `Ahora puede recibir como máximo ${max} ${code}.`,
  ),
  noCapacity: text(
    (code: string) => `No ${code} is available right now. Try again later.`,
    code => `Ahora no hay ${code} disponible. Inténtelo más tarde.`,
  ),
  pauses: text<Record<PauseMessage, string>>(pauseMessages, {
    unavailable: 'No disponible en este momento. Inténtelo más tarde.',
    maintenance: 'En pausa por mantenimiento. Inténtelo más tarde.',
    outage: 'En pausa por un problema de un proveedor de pagos. Inténtelo más tarde.',
  }),
  rails: [
    text('How do you want to pay?', '¿Cómo quiere pagar?'),
    text('How do you want to be paid?', '¿Cómo quiere cobrar?'),
  ] as Sides,
  chooseRail: text('Choose a payment method.', 'Elija un método de pago.'),
  paidAlready: text(
    'Your payment arrived and the asset was sent to your account. Do not pay again.',
    'Su pago llegó y el activo se envió a su cuenta. No pague otra vez.',
  ),
  noAccount: text(
    'Do not pay now: the account that we receive payments on is being corrected.',
    'No pague ahora: se está corrigiendo la cuenta en la que recibimos los pagos.',
  ),
  noRail: text(
    'No payment method is available right now. Try again later.',
    'Ahora no hay ningún método de pago disponible. Inténtelo más tarde.',
  ),
  optional: text('optional', 'opcional'),

  personTitle: text('About you', 'Sobre usted'),
  personWhy: text(
    'For an amount of this size the law asks who you are. We keep it with the transaction, encrypted.',
    'Para un importe de este tamaño la ley pregunta quién es usted. Lo guardamos cifrado con la transacción.',
  ),
  /** SEP-9's fields. */
  person: {
    first_name: text('First name', 'Nombre'),
    last_name: text('Last name', 'Apellidos'),
    address: text('Street and number', 'Calle y número'),
    city: text('City', 'Ciudad'),
    address_country_code: text('Country', 'País'),
    source_of_funds: text('Where the money comes from', 'De dónde viene el dinero'),
    'organization.registered_address': text('Registered address', 'Domicilio social'),
    'organization.city': text('City', 'Ciudad'),
    'organization.address_country_code': text('Country', 'País'),
  } as Readonly<Record<string, string>>,
  proveWallet: text(
    (account: string) =>
      `Prove that the wallet ${account} is yours: sign in to this anchor with it, or connect it in your customer portal. Then continue.`,
    account =>
      `Demuestre que la billetera ${account} es suya: inicie sesión en este anchor con ella o conéctela en su portal de cliente. Después continúe.`,
  ),
  chooseCountry: text('Choose a country', 'Elija un país'),
  checkPerson: text(
    (labels: readonly string[]) => `Enter: ${labels.join(', ')}.`,
    labels => `Escriba: ${labels.join(', ')}.`,
  ),

  reviewTitle: text('Review and confirm', 'Revise y confirme'),
  youPay: [text('You pay', 'Usted paga'), text('You send', 'Usted envía')] as Sides,
  youGet: text('You receive', 'Usted recibe'),
  feeOf: text(
    (fee: string) => `fee ${fee} included`,
    fee => `comisión de ${fee} incluida`,
  ),
  youPaid: [text('You paid', 'Usted pagó'), text('You sent', 'Usted envió')] as Sides,
  youGot: text('You received', 'Usted recibió'),
  anyAmount: text('any amount within the limits', 'cualquier importe dentro de los límites'),
  fixedFee: text('Fixed fee', 'Comisión fija'),
  serviceFee: text(
    (percent: string) => `Service fee (${percent})`,
    percent => `Comisión de servicio (${percent})`,
  ),
  rate: text('Rate', 'Cambio'),
  paidTo: text('Paid to', 'Se paga a'),
  over: text(
    (rail: string) => `Paid by ${rail}.`,
    rail => `Pago por ${rail}.`,
  ),
  fixedOnce: text(
    'The amounts are fixed once you confirm.',
    'Los importes quedan fijados cuando usted confirma.',
  ),
  pricedAtArrival: text(
    'The exchange rate is that of the moment when your payment arrives, so what you receive may differ a little.',
    'El tipo de cambio es el del momento en que llega su pago: lo que usted recibe puede variar un poco.',
  ),
  lapsedTitle: text('The quote has expired', 'La cotización ha caducado'),
  lapsedWhy: text(
    'The amounts are no longer valid. You were not charged. Start again in your wallet.',
    'Los importes ya no son válidos. No se ha cobrado nada. Empiece de nuevo en su billetera.',
  ),
  confirm: text('Confirm', 'Confirmar'),
  rateChanged: text(
    'The exchange rate has changed. These are the new amounts.',
    'El tipo de cambio ha cambiado. Estos son los nuevos importes.',
  ),
  change: text('Change', 'Cambiar'),

  cannotReceive: text('Before you pay', 'Antes de pagar'),
  receiveFaults: {
    'no-account': text(
      (code: string) =>
        code === 'XLM'
          ? 'Your account is not on the ledger yet. Create it with some XLM, or we cannot pay you.'
          : `Your account is not on the ledger yet. Create it with some XLM and add a trustline for ${code}, or we cannot pay you.`,
      code =>
        code === 'XLM'
          ? 'Su cuenta todavía no existe en la red. Créela con algo de XLM, o no podremos pagarle.'
          : `Su cuenta todavía no existe en la red. Créela con algo de XLM y añada una línea de confianza para ${code}, o no podremos pagarle.`,
    ),
    'no-trustline': text(
      (code: string) =>
        `Your account has no trustline for ${code}, so it cannot receive it. Add the trustline in your wallet first.`,
      code =>
        `Su cuenta no tiene una línea de confianza para ${code}, por lo que no puede recibirlo. Añádala primero en su billetera.`,
    ),
    'not-authorized': text(
      (code: string) => `The issuer has not yet allowed your account to hold ${code}. We pay once it has.`,
      code => `El emisor todavía no permite que su cuenta tenga ${code}. Pagaremos cuando lo permita.`,
    ),
    'trustline-full': text(
      (code: string) =>
        `Your trustline cannot hold so much ${code}. Raise its limit, or cancel offers to buy ${code}.`,
      code =>
        `Su línea de confianza no admite tanto ${code}. Aumente su límite o cancele ofertas de compra de ${code}.`,
    ),
  },
  addTrustline: text(
    (code: string) => `Add a trustline for ${code}`,
    code => `Añadir una línea de confianza para ${code}`,
  ),
  otherWallets: text('With another wallet', 'Con otra billetera'),
  scanTrustline: text('Scan with your wallet', 'Escanee con su billetera'),
  assetCode: text('Asset', 'Activo'),
  assetIssuer: text('Issuer', 'Emisor'),
  trustlineTransaction: text(
    'Transaction to sign and submit (XDR)',
    'Transacción para firmar y enviar (XDR)',
  ),
  checkAgain: text('Check again', 'Comprobar de nuevo'),

  pay: text(
    (money: string) => `Pay ${money}`.trim(),
    money => `Pague ${money}`.trim(),
  ),
  payHow: text(
    (rail: string) =>
      `Pay by ${rail} exactly this amount and use this reference, so we can match your payment.`,
    rail =>
      `Pague por ${rail} exactamente este importe y use esta referencia para que podamos identificar su pago.`,
  ),
  scan: text(
    (rail: string) => `Scan to pay with ${rail}`,
    rail => `Escanee para pagar con ${rail}`,
  ),
  openApp: text('Open the payment app', 'Abrir la aplicación de pago'),
  waiting: text('Waiting for your payment', 'Esperando su pago'),
  waitingHint: text('This page updates automatically.', 'Esta página se actualiza automáticamente.'),
  simulatedTitle: text(
    (rail: string) => `Simulated ${rail}`,
    rail => `${rail} simulado`,
  ),
  simulated: text(
    'This payment method is simulated. No bank is involved. The button replaces your payment.',
    'Este método de pago es simulado. No interviene ningún banco. El botón sustituye su pago.',
  ),
  simulatedSending: text(
    'The simulated bank is sending the money.',
    'El banco simulado está enviando el dinero.',
  ),
  simulatedAmount: text('Amount to pay', 'Importe a pagar'),
  simulatedHow: text('Bank response', 'Respuesta del banco'),
  simulatedChoices: {
    '': text('Pays immediately', 'Paga enseguida'),
    slow: text('Pays after a minute', 'Tarda un minuto'),
    declined: text('Declines', 'Rechaza el pago'),
  },
  simulatedDeclined: text(
    'The simulated bank declined the payment. Nothing was paid.',
    'El banco simulado ha rechazado el pago. No se ha pagado nada.',
  ),
  simulate: text('Simulate my payment', 'Simular mi pago'),
  until: text('Pay by', 'Pague antes de'),
  lateReturned: text(
    'Your quote holds until then. A later payment is refunded.',
    'Su cotización vale hasta entonces. Un pago posterior se reembolsa.',
  ),
  lateRepriced: text(
    'A later payment has the rate and the fees of that moment.',
    'Un pago posterior tiene el tipo y las comisiones de ese momento.',
  ),

  send: text(
    (units: string) => `Send ${units}`,
    units => `Envíe ${units}`,
  ),
  sendHow: text(
    'Your wallet usually does this automatically. Use this memo, so we can match your payment.',
    'Normalmente su billetera lo hace automáticamente. Use este memo para que podamos identificar su pago.',
  ),
  scanWallet: text('Pay with a Stellar wallet', 'Pagar con una billetera Stellar'),
  to: text('To', 'A'),
  memo: text('Memo (ID)', 'Memo (ID)'),
  amount: text('Amount', 'Importe'),

  history: text('History', 'Historial'),
  receipt: text('Receipt', 'Recibo'),
  transaction: text('Transaction', 'Transacción'),
  reference: text('Reference', 'Referencia'),
  railPayment: text('Payment ID', 'ID del pago'),
  onLedger: text('Ledger transaction', 'Transacción en la red'),
  refund: text('Refund', 'Reembolso'),
  refundOnLedger: text('Ledger refund', 'Reembolso en la red'),
  seeOnLedger: text('View on the ledger', 'Verlo en la red'),
  claimable: text(
    (until: string | null) =>
      until === null
        ? 'The payment is a claimable balance. Claim it in your wallet.'
        : `The payment is a claimable balance. Claim it in your wallet by ${until}. After that we take it back and pay it to your account once it has a trustline.`,
    until =>
      until === null
        ? 'El pago es un saldo reclamable. Reclámelo en su billetera.'
        : `El pago es un saldo reclamable. Reclámelo en su billetera hasta el ${until}. Después lo retiramos y lo pagamos en su cuenta cuando tenga una línea de confianza.`,
  ),
  print: text('Print or save', 'Imprimir o guardar'),
  amountTwoWays: text(
    (few: string, many: string) => `The amount can be read in two ways. Enter ${few} or ${many}.`,
    (few, many) => `El importe se puede leer de dos maneras. Escriba ${few} o ${many}.`,
  ),
  amountDecimals: text(
    (most: number) => `Enter an amount with at most ${most} decimals.`,
    most => `Escriba un importe con ${most} decimales como máximo.`,
  ),
  amountInvalid: text(
    (example: string) => `Enter an amount such as ${example}.`,
    example => `Escriba un importe como ${example}.`,
  ),
  checkAmount: text(
    (why: string, _limits: string) => why,
    (_why, limits) => `Revise el importe. ${limits}.`,
  ),
  checkDetails: text(
    (wrong: readonly { label: string; why: string }[]) =>
      `${wrong.map(({ label, why }) => `${label}: ${why}`).join('; ')}.`,
    wrong => `Revise: ${wrong.map(({ label }) => label).join(', ')}.`,
  ),
  /** Translations of the rails' own labels. */
  words: text<Readonly<Record<string, string>>>(
    {},
    {
      'Account number': 'Número de cuenta',
      'Routing number': 'Número de ruta (ABA)',
      'Name of the account holder': 'Titular de la cuenta',
      Account: 'Cuenta',
      Payee: 'Beneficiario',
      'Payment page': 'Página de pago',
      Amount: 'Importe',
      Reference: 'Referencia',
      Note: 'Nota',
      ...spanishRailLabels,
      'as the bank knows it': 'como lo conoce el banco',
      'only where your bank asks for it': 'solo si su banco lo pide',
      '9 digits, at the lower left of a check': '9 dígitos, abajo a la izquierda de un cheque',
      '4 to 17 digits': 'de 4 a 17 dígitos',
      '9 to 18 digits': 'de 9 a 18 dígitos',
      'such as asha@okbank': 'como asha@okbank',
      'such as SBIN0001234': 'como SBIN0001234',
      'such as DE89 3704 0044 0532 0130 00': 'como DE89 3704 0044 0532 0130 00',
    },
  ),
})

export type Texts = ReturnType<typeof textsIn>

const english = textsIn('en', <T>(en: T) => en)
const spanish = textsIn('es', <T>(_en: unknown, es: T) => es)

/** The texts for SEP-24's `lang` (RFC 4646: `es`, `es-MX`); English for other languages. */
export const textsFor = (lang: string | null): Texts =>
  lang?.toLowerCase().split(/[-_]/)[0] === 'es' ? spanish : english

/** A pair's text for this direction. */
export const side = <T>([deposit, withdrawal]: readonly [T, T], direction: 'deposit' | 'withdrawal'): T =>
  direction === 'deposit' ? deposit : withdrawal

/** A rail's own label in this language. */
export const word = ({ words }: Texts, said: string): string => words[said] ?? said
