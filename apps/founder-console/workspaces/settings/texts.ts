import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

const side = { deposit: text('Deposits', 'Depósitos'), withdrawal: text('Withdrawals', 'Retiros') }

export const texts = catalogue({
  title: text('Settings', 'Ajustes'),
  lead: text(
    'Changes count within seconds for transactions that start from then on. Open transactions keep their fees and limits.',
    'Los cambios valen en segundos para las transacciones que empiezan a partir de entonces. Las abiertas conservan sus comisiones y límites.',
  ),
  managersOnly: text(
    'Owners and admins can change them.',
    'Los propietarios y administradores pueden cambiarlos.',
  ),
  change: text('Change', 'Cambiar'),
  save: text('Save', 'Guardar'),
  failed: text('The settings were not changed', 'Los ajustes no se cambiaron'),
  none: text('None', 'Ninguno'),
  direction: side,
  fees: {
    title: text('Fees', 'Comisiones'),
    lead: text('A fixed part and a percentage of the amount.', 'Una parte fija y un porcentaje del importe.'),
    fee: text(
      (fixed: string, code: string, percent: string) => `${fixed} ${code} + ${percent}`,
      (fixed, code, percent) => `${fixed} ${code} + ${percent}`,
    ),
    over: text(
      (rail: string, direction: 'deposit' | 'withdrawal') => `${side[direction]} over ${rail}`,
      (rail, direction) => `${side[direction]} por ${rail}`,
    ),
    fixed: text('Fixed fee', 'Comisión fija'),
    percent: text('Percentage fee', 'Comisión porcentual'),
    percentInvalid: text('Enter a percentage below 100.', 'Escriba un porcentaje menor que 100.'),
    general: text(
      (direction: 'deposit' | 'withdrawal') => `${side[direction]}`,
      direction => side[direction],
    ),
    refund: text('Fee kept from refunds to strangers', 'Comisión al devolver a desconocidos'),
    refundHint: text(
      'Of a payment on the ledger that no transaction asked for. Customers’ refunds are whole.',
      'De un pago en la red que ninguna transacción pidió. A los clientes se les devuelve todo.',
    ),
    own: text('Fees over single rails', 'Comisiones de un medio de pago'),
    ownHint: text(
      'Leave both fields of a rail empty to use the fee above.',
      'Deje vacíos los dos campos de un medio para usar la comisión de arriba.',
    ),
    bothNeeded: text(
      'Enter both parts of the fee, or neither.',
      'Escriba las dos partes de la comisión, o ninguna.',
    ),
    spread: text('Spread on exchange rates', 'Margen sobre el tipo de cambio'),
    spreadHint: text(
      'Your share of the exchange rate: customers pay more by it in a deposit, and get less in a withdrawal.',
      'Su parte del tipo de cambio: los clientes pagan más por ella en un depósito y reciben menos en un retiro.',
    ),
    spreadOf: text(
      (direction: 'deposit' | 'withdrawal') => `Spread, ${side[direction].toLowerCase()}`,
      direction => `Margen, ${side[direction].toLowerCase()}`,
    ),
    spreadInvalid: text('Enter a percentage of at most 20.', 'Escriba un porcentaje de 20 como máximo.'),
  },
  limits: {
    title: text('Limits', 'Límites'),
    lead: text(
      'For deposits and withdrawals. Everyone who passed the identity check has the tier Standard; you raise customers to Enhanced on the page Customers.',
      'Para depósitos y retiros. Quien pasó la verificación de identidad tiene el nivel Estándar; suba clientes al nivel Ampliado en la página Clientes.',
    ),
    range: text('One transaction', 'Una transacción'),
    rangeOf: text(
      (min: string, max: string, code: string) => `${min} to ${max} ${code}`,
      (min, max, code) => `De ${min} a ${max} ${code}`,
    ),
    min: text('Smallest transaction', 'Transacción mínima'),
    max: text('Largest transaction', 'Transacción máxima'),
    maxHint: text(
      'The signing limits on the page Anchor are separate: raise them too if they are lower.',
      'Los límites de firma de la página Anchor son aparte: súbalos también si son menores.',
    ),
    tiers: { standard: text('Standard', 'Estándar'), enhanced: text('Enhanced', 'Ampliado') },
    transaction: text('Each transaction', 'Cada transacción'),
    day: text('In 24 hours', 'En 24 horas'),
    month: text('In 30 days', 'En 30 días'),
    unlimited: text('No limit', 'Sin límite'),
    approvals: text('Second person above', 'Segunda persona por encima de'),
    approvalsHint: text(
      `Actions above this amount, such as refunds, wait for a second ${decider.finance}. If empty, none waits. A higher amount counts after a day.`,
      `Las acciones de más de este importe, como los reembolsos, esperan a una segunda ${decider.finance}. Si está vacío, ninguna espera. Un importe mayor vale después de un día.`,
    ),
    keysAbove: text('API keys decide alone up to', 'Las claves de API deciden solas hasta'),
    keysAboveHint: text(
      'People decide lines above this amount. If empty: all, except matches tied by a reference, account or payer’s name.',
      'Las personas deciden las líneas de más de este importe. Si está vacío: todas, salvo las unidas a una transacción por una referencia, una cuenta o el nombre del pagador.',
    ),
    optionalHint: text('Leave a field empty for no limit.', 'Deje un campo vacío para no poner límite.'),
  },
  wallets: {
    title: text('Wallets', 'Billeteras'),
    lead: text(
      'What wallets may do. At first all of it, so that every known wallet completes its flow.',
      'Lo que pueden hacer las billeteras. Al principio todo, para que cada billetera conocida complete su proceso.',
    ),
    options: {
      nearAmounts: {
        name: text('Withdrawals paid with a little more or less', 'Retiros pagados con un poco más o menos'),
        hint: text(
          'Up to a tenth. Fees, limits and screening are those of what came. More, firm quotes and payments of other anchors are always refunded.',
          'Hasta una décima parte. Comisiones, límites y controles son los de lo que llegó. Lo demás, las cotizaciones firmes y los pagos de otros anchors se reembolsan siempre.',
        ),
        yes: text('Paid out at what they are worth', 'Se pagan por lo que valen'),
        no: text('Refunded', 'Se reembolsan'),
      },
      mixedMemos: {
        name: text('Accounts of many customers', 'Cuentas de muchos clientes'),
        hint: text(
          'A service with many customers in one account names each by a memo. Refused, a login without one fails where the account signed in with one before.',
          'Un servicio con muchos clientes en una cuenta nombra a cada uno con un memo. Si se rechaza, no entra sin memo la cuenta que antes entró con uno.',
        ),
        yes: text('May sign in without a memo too', 'Pueden entrar también sin memo'),
        no: text('Always need their memo', 'Necesitan siempre su memo'),
      },
      newAccounts: {
        name: text(
          'Deposits to accounts that do not exist yet',
          'Depósitos a cuentas que todavía no existen',
        ),
        hint: text(
          'A Stellar account exists once someone has funded it. Until then nothing can be paid to it.',
          'Una cuenta de Stellar existe cuando alguien la ha financiado. Hasta entonces no se le puede pagar nada.',
        ),
        yes: text('Begin, and wait for the account', 'Empiezan y esperan a la cuenta'),
        no: text('Refused', 'Se rechazan'),
      },
      unnamedMethods: {
        name: text('Prices without a payment method', 'Precios sin medio de pago'),
        hint: text(
          'Where a currency has several rails whose fees differ. Not every wallet names one.',
          'Donde una moneda tiene varios medios con comisiones distintas. No toda billetera nombra uno.',
        ),
        yes: text('Those of the first rail', 'Los del primer medio'),
        no: text('Refused, with the names', 'Se rechazan, con los nombres'),
      },
    },
  },
  rails: {
    title: text('Rails and pauses', 'Medios de pago y pausas'),
    lead: text(
      'What customers can start. Transactions that are agreed continue.',
      'Lo que los clientes pueden empezar. Las transacciones acordadas continúan.',
    ),
    on: text('On', 'Activo'),
    off: text('Off', 'Inactivo'),
    paused: text(
      (message: string) => `Paused: “${message}”`,
      message => `En pausa: «${message}»`,
    ),
    open: text('Open', 'Abierto'),
    choose: text(
      (direction: 'deposit' | 'withdrawal') => `${side[direction]} over`,
      direction => `${side[direction]} por`,
    ),
    pause: side,
    pauseHint: text(
      'Pausing with a standard message needs no confirmation. Customers read it in their language.',
      'Una pausa con un mensaje estándar no pide confirmación. Los clientes lo leen en su idioma.',
    ),
    pauses: {
      none: text('Accept new transactions', 'Aceptar transacciones nuevas'),
      unavailable: text('Pause: not available', 'Pausar: no disponible'),
      maintenance: text('Pause: maintenance', 'Pausar: mantenimiento'),
      outage: text('Pause: problem at a payment provider', 'Pausar: problema de un proveedor de pagos'),
      own: text('Pause with my own message', 'Pausar con un mensaje propio'),
    },
    message: text(
      (direction: 'deposit' | 'withdrawal') => `Message while ${side[direction].toLowerCase()} are paused`,
      direction => `Mensaje mientras los ${side[direction].toLowerCase()} están en pausa`,
    ),
    messageHint: text('Customers read it as you write it.', 'Los clientes lo leen tal como lo escribe.'),
    messageMissing: text('Enter the message.', 'Escriba el mensaje.'),
  },
  pause: {
    start: text('Pause the anchor', 'Poner el anchor en pausa'),
    resume: text('Resume…', 'Reanudar…'),
    what: text('Pause', 'Poner en pausa'),
    missing: text('Choose what to pause', 'Elija qué poner en pausa'),
    reason: text('Reason', 'Motivo'),
    reasonHint: text(
      'Customers read it in their language. Transactions that are agreed continue.',
      'Los clientes lo leen en su idioma. Las transacciones acordadas continúan.',
    ),
  },
  branding: {
    title: text('Branding', 'Imagen'),
    lead: text('On every page and email of your customers.', 'En cada página y correo de sus clientes.'),
    color: text('Colour', 'Color'),
    colorHint: text(
      'As #rrggbb, dark enough to read on a light page.',
      'Como #rrggbb, con oscuridad suficiente para leerse en una página clara.',
    ),
    colorUnset: text('The standard colour', 'El color estándar'),
    colorInvalid: text('Enter a colour such as #8a1c1c.', 'Escriba un color como #8a1c1c.'),
    colorTooLight: text(
      'Choose a darker colour. Text in it needs a contrast of 4.5:1 to the page.',
      'Elija un color más oscuro. El texto necesita un contraste de 4.5:1 con la página.',
    ),
    support: text('Support address', 'Dirección de ayuda'),
    supportHint: text(
      'The email address that customers write to. Empty: your business email address.',
      'El correo al que escriben los clientes. Vacío: el correo de su empresa.',
    ),
    supportUnset: text('Your business email address', 'El correo de su empresa'),
    supportInvalid: text('Enter an email address.', 'Escriba una dirección de correo.'),
    logo: text('Logo', 'Logotipo'),
    logoHint: text(
      'PNG or JPEG, at most 64 KB and 1024 × 1024 pixels. Leave it empty to keep the logo.',
      'PNG o JPEG, como máximo 64 KB y 1024 × 1024 píxeles. Déjelo vacío para conservar el actual.',
    ),
    logoTooLarge: text('The file has more than 64 KB.', 'El archivo tiene más de 64 KB.'),
    logoUnset: text(
      'None: pages show the first letter of your name',
      'Ninguno: las páginas muestran la inicial de su nombre',
    ),
    logoSet: text('Uploaded', 'Subido'),
    removeLogo: text('Remove the logo', 'Quitar el logotipo'),
  },
  accounts: {
    title: text('Accounts of rails', 'Cuentas de las vías de pago'),
    lead: text(
      'Where customers pay to and where payouts leave from. One owner or admin requests a change, another one approves it. Deposits that are agreed can still be paid to the earlier account.',
      'Adónde pagan los clientes y de dónde salen los pagos. Un propietario o administrador solicita un cambio y otro lo aprueba. Los depósitos ya acordados se pueden pagar todavía a la cuenta anterior.',
    ),
    change: text('Change account', 'Cambiar cuenta'),
    none: text(
      (rails: string) =>
        `Your rails are ${rails}, with the accounts that you applied with. They are stored encrypted and not shown.`,
      rails =>
        `Sus vías de pago son ${rails}, con las cuentas que indicó al solicitar. Se guardan cifradas y no se muestran.`,
    ),
    of: text(
      (rail: string, adds: boolean) => (adds ? `${rail}, a further rail` : rail),
      (rail, adds) => (adds ? `${rail}, una vía nueva` : rail),
    ),
    requested: text(
      (who: string, at: string) => `Requested by ${who}, ${at}.`,
      (who, at) => `Solicitado por ${who}, ${at}.`,
    ),
    decided: {
      approved: text(
        (who: string, at: string) => `Approved by ${who}, ${at}.`,
        (who, at) => `Aprobado por ${who}, ${at}.`,
      ),
      cancelled: text(
        (who: string, at: string) => `Cancelled by ${who}, ${at}.`,
        (who, at) => `Cancelado por ${who}, ${at}.`,
      ),
    },
    waits: text(
      'Compare each field with what your bank wrote, then approve it.',
      'Compare cada campo con lo que escribió su banco y apruébelo.',
    ),
    waitsForOther: text('Waits for another owner or admin.', 'Espera a otro propietario o administrador.'),
    provider: text('Provider', 'Proveedor'),
    secret: text('Given, not shown', 'Indicado, no se muestra'),
    approve: text('Approve', 'Aprobar'),
    cancel: text('Cancel change', 'Cancelar el cambio'),
    failed: text('The change was not made', 'El cambio no se hizo'),
    formLead: text(
      'Enter every field: what you leave empty is empty afterwards.',
      'Escriba todos los campos: lo que deje vacío quedará vacío.',
    ),
    rail: text('Rail', 'Vía de pago'),
    added: text(
      (rail: string) => `${rail} (add)`,
      rail => `${rail} (añadir)`,
    ),
    missing: text(
      (field: string) => `Enter the field ${field}.`,
      field => `Escriba el campo ${field}.`,
    ),
    wrong: text(
      (field: string, why: string) => `${field} ${why}.`,
      (field, why) => `${field}: ${why}.`,
    ),
    send: text('Request change', 'Solicitar cambio'),
  },
  history: {
    title: text('History', 'Historial'),
    columns: {
      at: text('Changed', 'Cambiado'),
      by: text('Changed by', 'Cambiado por'),
      what: text('Before and after', 'Antes y después'),
      action: text('Action', 'Acción'),
    },
    restore: text('Restore', 'Restaurar'),
    restoreOf: text(
      (when: string) => `Restore the settings of: ${when}`,
      when => `Restaurar los ajustes de: ${when}`,
    ),
    restoreTitle: text('Restore these settings?', '¿Restaurar estos ajustes?'),
    application: text('Your application', 'Su solicitud'),
    changed: text(
      (name: string, before: string, after: string) => `${name}: ${before} → ${after}`,
      (name, before, after) => `${name}: ${before} → ${after}`,
    ),
    same: text('Nothing', 'Nada'),
  },
  tier: {
    change: text('Change tier', 'Cambiar nivel'),
    column: text('Tier', 'Nivel'),
    title: text('Verification tier', 'Nivel de verificación'),
    lead: text(
      'The limits of the tier are for the person with all their accounts.',
      'Los límites del nivel son de la persona con todas sus cuentas.',
    ),
    label: text('Tier', 'Nivel'),
    reason: text('Reason', 'Motivo'),
    reasonHint: text(
      'What you saw, such as proof of income. It is kept in the audit log.',
      'Lo que vio, como un justificante de ingresos. Se guarda en el registro de auditoría.',
    ),
    reasonMissing: text('Enter the reason.', 'Escriba el motivo.'),
    failed: text('The tier was not changed', 'El nivel no se cambió'),
  },
})
