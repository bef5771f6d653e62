import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const treasury: Translation<typeof english.treasury> = {
  title: 'Tesorería',
  lead: 'Con qué puede pagar su anchor a los clientes.',
  available: 'Liquidez disponible',
  balance: 'Cuenta de distribución',
  cold: 'Cuenta fría (según el diario)',
  outflow: {
    label: 'Salida diaria',
    unknown: 'Se sabe tras el primer día',
    inflow: amount => `Ninguna (entrada neta ${amount})`,
  },
  lasts: {
    label: 'Dura',
    unlimited: 'No disminuye',
    days: days => (days < 1 ? 'Menos de un día' : `Unos ${Math.floor(days)} ${days < 2 ? 'día' : 'días'}`),
  },
  xlm: 'XLM para comisiones y reservas',
  frozen: code =>
    `El emisor no autorizó a la cuenta de distribución a tener ${code}, o la congeló. Los pagos esperan. Pida al emisor que la autorice.`,
  topUp: {
    title: 'Recargar',
    xlm: 'XLM: envíelo desde cualquier cuenta a la cuenta de distribución con el memo de abajo.',
    units: code =>
      `${code}: envíelo desde la cuenta fría a la cuenta de distribución con el memo de abajo. Los pagos de otras cuentas se reembolsan.`,
    noCold: code => `${code}: fije primero una cuenta fría. Los pagos de otras cuentas se reembolsan.`,
    existing: code =>
      `${code}: cómprelo o tómelo de su cuenta y envíelo a la cuenta de distribución con el memo de abajo. Está disponible en segundos.`,
    issuer: code => `Emisor de ${code}`,
    account: 'Cuenta de distribución',
    memo: 'Memo (texto)',
  },
  settings: 'Ajustes',
  ownersOnly: 'Solo los propietarios pueden cambiarlos.',
  change: 'Cambiar los ajustes',
  save: 'Guardar los ajustes',
  failed: 'Los ajustes no se cambiaron',
  none: 'Ninguno',
  history: 'Ajustes anteriores',
  columns: { at: 'Cambiados', by: 'Cambiados por' },
  low: {
    label: 'Umbral mínimo',
    hint: 'Recibe un aviso cuando la cuenta de distribución tiene menos que esto.',
  },
  xlmLow: {
    label: 'Umbral de XLM',
    hint: 'Recibe un aviso cuando se puede gastar menos XLM que esto.',
  },
  ceiling: {
    label: 'Máximo',
    hint: 'La liquidez disponible por encima se envía a la cuenta fría, como mucho una vez por hora.',
    tooLow: 'Escriba más que el umbral mínimo.',
    missing: 'Escriba el máximo. Solo la liquidez por encima se envía a la cuenta fría.',
  },
  coldAccount: {
    label: 'Cuenta fría',
    hint: code =>
      `Una cuenta propia con una línea de confianza para ${code}. Guarde su clave lejos de estos servidores.`,
    invalid: 'Escriba una cuenta que empiece por G.',
  },
}
