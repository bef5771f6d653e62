import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './travel-rule-texts.ts'

export const travelRule: Translation<typeof english.texts> = {
  title: 'Regla de viaje',
  lead: 'Desde un importe, quién envía y quién recibe se guarda con la transferencia antes de que el dinero se mueva (recomendación 16 del GAFI). Se pide lo que falta.',
  change: 'Cambiar',
  off: 'No se piden datos.',
  from: amount => `Se guardan datos con las transferencias de ${amount} o más.`,
  lei: lei => `LEI: ${lei}`,
  changed: when => `Último cambio: ${when}.`,
  form: {
    title: 'Cambiar la regla de viaje',
    threshold: {
      label: 'Importe',
      hint: 'A menudo 1000 dólares estadounidenses o euros. Vacío: no se piden datos.',
    },
    lei: {
      label: 'LEI',
      hint: 'Su identificador de entidad jurídica, que nombra a su anchor en los datos.',
      invalid: 'Escriba un LEI de 20 letras y cifras, o nada.',
    },
    send: 'Guardar',
    failed: 'La regla de viaje no se cambió',
  },
  export: 'Exportar quién envía y quién recibe',
  exportFailed: 'Los datos no se exportaron',
}
