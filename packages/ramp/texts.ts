/** What the element says. `{name}` is replaced. */
const en = {
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  depositTitle: 'Deposit {asset}',
  withdrawTitle: 'Withdraw {asset}',
  anyAsset: 'an asset',
  amount: 'Amount in {asset}',
  amountHint: 'Up to 7 decimal places, such as {example}',
  amountInvalid: 'Enter an amount above 0 with at most 7 decimal places, such as {example}.',
  amountTwoWays: 'This can be read in two ways. Write {few} or {many}.',
  amountRead: 'Read as {amount}',
  choice: 'Asset and payment method',
  choiceOption: '{asset} by {rail} ({currency})',
  noChoices: 'No anchor is available now. Try again later.',
  compare: 'Compare offers',
  loading: 'Loading…',
  searching: 'Asking anchors for their offers…',
  offers: 'Offers',
  offersFound: 'Offers found: {count}',
  best: 'Best',
  externalAnchor: 'External anchor',
  externalHint: 'Nobody at this platform has approved this anchor.',
  youPay: 'You pay',
  youSend: 'You send',
  youGet: 'You get',
  rate: 'Exchange rate',
  fee: 'Fee',
  fixedFee: 'Fixed fee',
  serviceFee: 'Service fee ({percent})',
  totalFee: 'Total fee',
  feeDetails: 'Fee details',
  why: 'Why this anchor?',
  whySummary:
    'It has the highest score of {count} offers: {score} of 100. Fee {fee}, speed {speed}, uptime {uptime}, liquidity {liquidity}.',
  whyFull: 'Full explanation',
  continueWith: 'Continue at {domain}',
  account: 'Your account',
  change: 'Change amount',
  signing: 'Confirm in your wallet that you log in at {domain}. This moves no money.',
  openPage: 'Open the anchor’s page',
  openInWallet: 'Open in a wallet on this device',
  scanCode: 'QR code of the payment',
  scanHint: 'Scan this with the wallet on your phone.',
  pageOpened: 'The anchor’s page is open in another window. Finish there.',
  pageClosed: 'Continue on the anchor’s page with the button below.',
  popupBlocked: 'Your browser blocked the window. Open the anchor’s page with the button below.',
  status: 'Status',
  stageDetails: 'Details',
  stagePayment: 'Payment',
  stageProcessing: 'Processing',
  stageDone: 'Done',
  incomplete: 'Finish on the anchor’s page.',
  payDeposit: 'Pay as the anchor’s page says.',
  payWithdrawal: 'Send the amount to the anchor.',
  processing: 'The anchor is processing the transfer.',
  ledgerProcessing: 'The payment is on its way on the ledger.',
  railProcessing: 'The payment is on its way to your account.',
  trustlineMissing: 'Add a trustline for the asset in your wallet. The transfer then continues.',
  customerInfo: 'The anchor needs more information. Open its page.',
  completed: 'Completed',
  refunded: 'Refunded',
  expired: 'Expired',
  failed: 'Failed',
  sendNow: 'Send {amount}',
  sending: 'Sending…',
  paymentTo: 'Account',
  paymentAmount: 'Amount',
  paymentMemo: 'Memo',
  memoRequired: 'The memo is required: the anchor uses it to match your payment.',
  copy: 'Copy: {what}',
  copied: 'Copied',
  receipt: 'Receipt',
  anchor: 'Anchor',
  sent: 'Sent',
  received: 'Received',
  refundedAmount: 'Refunded',
  ledgerTransaction: 'Ledger transaction',
  reference: 'Reference',
  finishedAt: 'Finished',
  anchorPage: 'See this transfer at the anchor',
  startAgain: 'New transfer',
  retry: 'Retry',
  signerMissing: 'No wallet is connected. Connect a wallet on this page, then retry.',
  noAnchor: 'No anchor can do this now. Try another amount or payment method.',
  outsideLimits: 'The amount is outside the anchor’s limits. Change the amount or choose another offer.',
  unreachable: 'No connection. Check your connection, then retry.',
  challengeInvalid:
    'The anchor could not prove who it is, so nothing was signed. Choose another offer or contact the anchor.',
  addressRefused: 'The anchor named an address that cannot be opened safely.',
  unexpected: 'Something went wrong. {message}',
}
export type TextName = keyof typeof en
type Texts = Readonly<Record<TextName, string>>

const es: Texts = {
  deposit: 'Depositar',
  withdraw: 'Retirar',
  depositTitle: 'Depositar {asset}',
  withdrawTitle: 'Retirar {asset}',
  anyAsset: 'un activo',
  amount: 'Importe en {asset}',
  amountHint: 'Hasta 7 decimales, por ejemplo {example}',
  amountInvalid: 'Escriba un importe mayor que 0 con 7 decimales como máximo, por ejemplo {example}.',
  amountTwoWays: 'Se puede leer de dos maneras. Escriba {few} o {many}.',
  amountRead: 'Se lee como {amount}',
  choice: 'Activo y medio de pago',
  choiceOption: '{asset} por {rail} ({currency})',
  noChoices: 'Ahora no hay ningún anchor disponible. Inténtelo más tarde.',
  compare: 'Comparar ofertas',
  loading: 'Cargando…',
  searching: 'Pidiendo ofertas a los anchors…',
  offers: 'Ofertas',
  offersFound: 'Ofertas encontradas: {count}',
  best: 'Mejor',
  externalAnchor: 'Anchor externo',
  externalHint: 'Nadie en esta plataforma ha aprobado este anchor.',
  youPay: 'Usted paga',
  youSend: 'Usted envía',
  youGet: 'Usted recibe',
  rate: 'Tipo de cambio',
  fee: 'Comisión',
  fixedFee: 'Comisión fija',
  serviceFee: 'Comisión de servicio ({percent})',
  totalFee: 'Comisión total',
  feeDetails: 'Detalle de la comisión',
  why: '¿Por qué este anchor?',
  whySummary:
    'Tiene la puntuación más alta de {count} ofertas: {score} de 100. Comisión {fee}, rapidez {speed}, disponibilidad {uptime}, liquidez {liquidity}.',
  whyFull: 'Explicación completa',
  continueWith: 'Continuar en {domain}',
  account: 'Su cuenta',
  change: 'Cambiar el importe',
  signing: 'Confirme en su billetera que inicia sesión en {domain}. Esto no mueve dinero.',
  openPage: 'Abrir la página del anchor',
  openInWallet: 'Abrir en una billetera de este dispositivo',
  scanCode: 'Código QR del pago',
  scanHint: 'Escanéelo con la billetera de su teléfono.',
  pageOpened: 'La página del anchor está abierta en otra ventana. Termine allí.',
  pageClosed: 'Continúe en la página del anchor con el botón siguiente.',
  popupBlocked: 'Su navegador bloqueó la ventana. Abra la página del anchor con el botón de abajo.',
  status: 'Estado',
  stageDetails: 'Datos',
  stagePayment: 'Pago',
  stageProcessing: 'En proceso',
  stageDone: 'Terminado',
  incomplete: 'Termine en la página del anchor.',
  payDeposit: 'Pague como indica la página del anchor.',
  payWithdrawal: 'Envíe el importe al anchor.',
  processing: 'El anchor está procesando la transferencia.',
  ledgerProcessing: 'El pago está en camino en la red.',
  railProcessing: 'El pago está en camino a su cuenta.',
  trustlineMissing: 'Añada una línea de confianza para el activo en su billetera. Después continúa.',
  customerInfo: 'El anchor necesita más datos. Abra su página.',
  completed: 'Completada',
  refunded: 'Reembolsada',
  expired: 'Caducada',
  failed: 'Fallida',
  sendNow: 'Enviar {amount}',
  sending: 'Enviando…',
  paymentTo: 'Cuenta',
  paymentAmount: 'Importe',
  paymentMemo: 'Memo',
  memoRequired: 'El memo es obligatorio: con él el anchor identifica su pago.',
  copy: 'Copiar: {what}',
  copied: 'Copiado',
  receipt: 'Recibo',
  anchor: 'Anchor',
  sent: 'Enviado',
  received: 'Recibido',
  refundedAmount: 'Reembolsado',
  ledgerTransaction: 'Transacción en la red',
  reference: 'Referencia',
  finishedAt: 'Terminada',
  anchorPage: 'Ver esta transferencia en el anchor',
  startAgain: 'Nueva transferencia',
  retry: 'Reintentar',
  signerMissing: 'No hay ninguna billetera conectada. Conecte una en esta página y reintente.',
  noAnchor: 'Ahora ningún anchor puede hacerlo. Pruebe otro importe u otro medio de pago.',
  outsideLimits: 'El importe está fuera de los límites del anchor. Cámbielo o elija otra oferta.',
  unreachable: 'Sin conexión. Revise su conexión y reintente.',
  challengeInvalid:
    'El anchor no pudo demostrar quién es, así que no se firmó nada. Elija otra oferta o contacte con el anchor.',
  addressRefused: 'El anchor indicó una dirección que no se puede abrir de forma segura.',
  unexpected: 'Algo salió mal. {message}',
}

const languages: Readonly<Record<string, Texts>> = { en, es }

/** Texts and formats of one language. */
export interface Words {
  /** Such as `en`. */
  language: string
  /** The language with its region, by which amounts are shown, and read. */
  locale: string
  t(name: TextName, values?: Readonly<Record<string, string | number>>): string
  /** A decimal string as people write it, exactly: `8,938.50 INR`. */
  amount(value: string, unit?: string): string
  percent(fraction: string): string
  time(iso: string): string
}

/** `wanted`: BCP 47 tags, best first. English where none is known. */
export function wordsIn(wanted: readonly (string | null | undefined)[]): Words {
  const tag = wanted.find(each => each && Object.hasOwn(languages, baseOf(each))) ?? 'en'
  const language = baseOf(tag)
  const texts = languages[language] ?? en
  return {
    language,
    locale: tag,
    t: (name, values = {}) =>
      texts[name].replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole)),
    amount: (value, unit) => {
      const isMoney = unit !== undefined && /^[A-Z]{3}$/.test(unit) && value.includes('.')
      const digits = { minimumFractionDigits: isMoney ? 2 : 0, maximumFractionDigits: 7 }
      const text = new Intl.NumberFormat(tag, digits).format(value as `${number}`)
      return unit === undefined ? text : `${text} ${unit}`
    },
    percent: fraction =>
      new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 4 }).format(
        fraction as `${number}`,
      ),
    time: iso =>
      new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'long' }).format(new Date(iso)),
  }
}

const baseOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? ''
