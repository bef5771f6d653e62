import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const treasury = catalogue({
  title: text('Treasury', 'Tesorería'),
  lead: text('What your anchor can pay customers from.', 'Con qué puede pagar su anchor a los clientes.'),
  available: text('Available liquidity', 'Liquidez disponible'),
  balance: text('Distribution account', 'Cuenta de distribución'),
  cold: text('Cold account (from the journal)', 'Cuenta fría (según el diario)'),
  outflow: {
    label: text('Daily outflow', 'Salida diaria'),
    unknown: text('Known after the first day', 'Se sabe tras el primer día'),
    inflow: text(
      (amount: string) => `None (net inflow ${amount})`,
      amount => `Ninguna (entrada neta ${amount})`,
    ),
  },
  lasts: {
    label: text('Lasts for', 'Dura'),
    unlimited: text('Not decreasing', 'No disminuye'),
    days: text(
      (days: number) =>
        days >= 1000
          ? 'Years'
          : days < 1
            ? 'Less than a day'
            : days < 2
              ? 'About 1 day'
              : `About ${Math.floor(days)} days`,
      days =>
        days >= 1000
          ? 'Años'
          : days < 1
            ? 'Menos de un día'
            : `Unos ${Math.floor(days)} ${days < 2 ? 'día' : 'días'}`,
    ),
  },
  xlm: text('XLM for fees and reserves', 'XLM para comisiones y reservas'),
  frozen: text(
    (code: string) =>
      `The issuer has not authorized the distribution account to hold ${code}, or has frozen it. Payments wait. Ask the issuer to authorize it.`,
    code =>
      `El emisor no autorizó a la cuenta de distribución a tener ${code}, o la congeló. Los pagos esperan. Pida al emisor que la autorice.`,
  ),
  topUp: {
    title: text('Top up', 'Recargar'),
    xlm: text(
      'XLM: send it from any account to the distribution account with the memo below.',
      'XLM: envíelo desde cualquier cuenta a la cuenta de distribución con el memo de abajo.',
    ),
    units: text(
      (code: string) =>
        `${code}: send it from the cold account to the distribution account with the memo below. Payments from other accounts are returned.`,
      code =>
        `${code}: envíelo desde la cuenta fría a la cuenta de distribución con el memo de abajo. Los pagos de otras cuentas se reembolsan.`,
    ),
    noCold: text(
      (code: string) => `${code}: set a cold account first. Payments from other accounts are returned.`,
      code => `${code}: fije primero una cuenta fría. Los pagos de otras cuentas se reembolsan.`,
    ),
    existing: text(
      (code: string) =>
        `${code}: buy it or take it from your own account, and send it to the distribution account with the memo below. It is available within seconds.`,
      code =>
        `${code}: cómprelo o tómelo de su cuenta y envíelo a la cuenta de distribución con el memo de abajo. Está disponible en segundos.`,
    ),
    issuer: text(
      (code: string) => `Issuer of ${code}`,
      code => `Emisor de ${code}`,
    ),
    account: text('Distribution account', 'Cuenta de distribución'),
    memo: text('Memo (text)', 'Memo (texto)'),
  },
  settings: text('Settings', 'Ajustes'),
  ownersOnly: text('Only owners can change them.', 'Solo los propietarios pueden cambiarlos.'),
  change: text('Change settings', 'Cambiar los ajustes'),
  save: text('Save settings', 'Guardar los ajustes'),
  failed: text('The settings were not changed', 'Los ajustes no se cambiaron'),
  none: text('None', 'Ninguno'),
  history: text('Earlier settings', 'Ajustes anteriores'),
  columns: { at: text('Changed', 'Cambiados'), by: text('Changed by', 'Cambiados por') },
  low: {
    label: text('Low threshold', 'Umbral mínimo'),
    hint: text(
      'You are notified when the distribution account holds less than this.',
      'Recibe un aviso cuando la cuenta de distribución tiene menos que esto.',
    ),
  },
  xlmLow: {
    label: text('XLM threshold', 'Umbral de XLM'),
    hint: text(
      'You are notified when less XLM than this can be spent.',
      'Recibe un aviso cuando se puede gastar menos XLM que esto.',
    ),
  },
  ceiling: {
    label: text('Ceiling', 'Máximo'),
    hint: text(
      'Available liquidity above this is sent to the cold account, at most once an hour.',
      'La liquidez disponible por encima se envía a la cuenta fría, como mucho una vez por hora.',
    ),
    tooLow: text('Enter more than the low threshold.', 'Escriba más que el umbral mínimo.'),
    missing: text(
      'Enter the ceiling. Only liquidity above it is sent to the cold account.',
      'Escriba el máximo. Solo la liquidez por encima se envía a la cuenta fría.',
    ),
  },
  coldAccount: {
    label: text('Cold account', 'Cuenta fría'),
    hint: text(
      (code: string) =>
        `An account of your own with a trustline for ${code}. Keep its key away from these servers.`,
      code =>
        `Una cuenta propia con una línea de confianza para ${code}. Guarde su clave lejos de estos servidores.`,
    ),
    invalid: text('Enter an account that begins with G.', 'Escriba una cuenta que empiece por G.'),
  },
})

export const flows = catalogue({
  treasury: text(
    (days: number) => `The last ${days} days`,
    days => `Los últimos ${days} días`,
  ),
  balance: text('Balance', 'Saldo'),
  reserved: text('Reserved now', 'Reservado ahora'),
  lasts: text('Lasts for', 'Dura'),
  cash: {
    title: text(
      (days: number) => `Cash flow, last ${days} days`,
      days => `Flujo de caja, últimos ${days} días`,
    ),
    lead: text(
      'Money that came and went over each rail, by the day on which the journal recorded it.',
      'Dinero que entró y salió por cada medio de pago, por el día en que lo registró el diario.',
    ),
    in: text('In', 'Entró'),
    out: text('Out', 'Salió'),
    over: text(
      (rail: string, currency: string) => `${rail}, in ${currency}`,
      (rail, currency) => `${rail}, en ${currency}`,
    ),
  },
})
