import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Travel rule', 'Regla de viaje'),
  lead: text(
    'From an amount on, who sends and who receives is kept with a transfer before its money moves (FATF recommendation 16). What is missing is asked for.',
    'Desde un importe, quién envía y quién recibe se guarda con la transferencia antes de que el dinero se mueva (recomendación 16 del GAFI). Se pide lo que falta.',
  ),
  change: text('Change', 'Cambiar'),
  off: text('No data is asked for.', 'No se piden datos.'),
  from: text(
    (amount: string) => `Data is kept with transfers of ${amount} or more.`,
    amount => `Se guardan datos con las transferencias de ${amount} o más.`,
  ),
  lei: text(
    (lei: string) => `LEI: ${lei}`,
    lei => `LEI: ${lei}`,
  ),
  changed: text(
    (when: string) => `Last changed ${when}.`,
    when => `Último cambio: ${when}.`,
  ),
  form: {
    title: text('Change travel rule', 'Cambiar la regla de viaje'),
    threshold: {
      label: text('Amount', 'Importe'),
      hint: text(
        'Often 1,000 US dollars or euros. Empty: no data is asked for.',
        'A menudo 1000 dólares estadounidenses o euros. Vacío: no se piden datos.',
      ),
    },
    lei: {
      label: text('LEI', 'LEI'),
      hint: text(
        'Your legal entity identifier, which names your anchor in the data.',
        'Su identificador de entidad jurídica, que nombra a su anchor en los datos.',
      ),
      invalid: text(
        'Enter an LEI of 20 letters and digits, or nothing.',
        'Escriba un LEI de 20 letras y cifras, o nada.',
      ),
    },
    send: text('Save', 'Guardar'),
    failed: text('The travel rule was not changed', 'La regla de viaje no se cambió'),
  },
  export: text('Export sender and receiver', 'Exportar quién envía y quién recibe'),
  exportFailed: text('Sender and receiver were not exported', 'Los datos no se exportaron'),
})
