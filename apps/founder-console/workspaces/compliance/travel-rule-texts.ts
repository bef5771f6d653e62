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
  proof: text(
    (amount: string) => `From ${amount} on a wallet is proven to be its person's.`,
    amount => `Desde ${amount}, se demuestra de quién es una billetera.`,
  ),
  towards: text(
    (corridors: string) => `Towards countries: ${corridors}.`,
    corridors => `Hacia países: ${corridors}.`,
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
        'Often 1,000 US dollars or euros; 0 is every transfer. Empty: no data is asked for. What a person sends to the same receiver within a day counts together.',
        'A menudo 1000 dólares estadounidenses o euros; 0 es cada transferencia. Vacío: no se piden datos. Cuenta junto lo que una persona envía al mismo destinatario en un día.',
      ),
    },
    ownership: {
      label: text('Proof of wallets from', 'Prueba de billeteras desde'),
      hint: text(
        'In the EU 1,000 euros: the customer proves that a wallet that no provider holds is theirs. Empty: never.',
        'En la UE, 1000 euros: el cliente demuestra que es suya una billetera que ningún proveedor custodia. Vacío: nunca.',
      ),
    },
    country: {
      label: text('Country of your anchor', 'País de su anchor'),
      hint: text(
        'Two letters, such as DE. Towards a provider the stricter law of both countries counts.',
        'Dos letras, como DE. Hacia un proveedor cuenta la ley más estricta de ambos países.',
      ),
      invalid: text('Enter two letters, or nothing.', 'Escriba dos letras, o nada.'),
    },
    corridors: {
      label: text('Amounts towards countries', 'Importes hacia países'),
      hint: text(
        'One line for each country where another amount counts than the law asks for, such as US 3000. Without an amount no data is kept.',
        'Una línea por cada país donde cuenta otro importe que el de la ley, como US 3000. Sin importe no se guardan datos.',
      ),
      invalid: text('Write each line as US 3000.', 'Escriba cada línea como US 3000.'),
    },
    waits: {
      label: text('Answers of providers', 'Respuestas de proveedores'),
      on: text(
        'Money waits for the answer of a provider that is in your directory',
        'El dinero espera la respuesta de un proveedor que está en su directorio',
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
