import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Sending anchors', 'Anchors remitentes'),
  lead: text(
    'Anchors that may send direct payments (SEP-31) to your customers. You rely on their identity checks. On test networks every account may send.',
    'Anchors que pueden enviar pagos directos (SEP-31) a sus clientes. Usted confía en sus comprobaciones de identidad. En las redes de prueba puede enviar cualquier cuenta.',
  ),
  add: text('Add agreement', 'Añadir acuerdo'),
  empty: {
    title: text('No agreements yet', 'Ningún acuerdo todavía'),
    detail: text(
      'On the public network nobody sends direct payments until you add an agreement.',
      'En la red pública nadie envía pagos directos hasta que usted añade un acuerdo.',
    ),
  },
  columns: {
    name: text('Name', 'Nombre'),
    account: text('Account', 'Cuenta'),
    tier: text('Tier of senders', 'Nivel de los remitentes'),
    lei: text('LEI', 'LEI'),
    licence: text('Licence', 'Licencia'),
    term: text('Agreement', 'Acuerdo'),
    at: text('Since', 'Desde'),
    actions: text('Actions', 'Acciones'),
  },
  term: text(
    (from: string, until: string) =>
      [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' '),
    (from, until) => [from && `desde ${from}`, until && `hasta ${until}`].filter(Boolean).join(' '),
  ),
  accountOf: text(
    (name: string) => `account of ${name}`,
    name => `la cuenta de ${name}`,
  ),
  form: {
    title: text('Add agreement', 'Añadir acuerdo'),
    name: {
      label: text('Name', 'Nombre'),
      hint: text('The other anchor, as you know it.', 'El otro anchor, como usted lo conoce.'),
      missing: text('Enter the name.', 'Introduzca el nombre.'),
    },
    account: {
      label: text('Account', 'Cuenta'),
      hint: text(
        'The account (G…) that it logs in with (SEP-10).',
        'La cuenta (G…) con la que inicia sesión (SEP-10).',
      ),
      invalid: text(
        'Enter an account of 56 characters that begins with G.',
        'Introduzca una cuenta de 56 caracteres que empiece por G.',
      ),
    },
    tier: {
      label: text('Tier of its senders', 'Nivel de sus remitentes'),
      hint: text(
        'Each sender has the limits of this tier for themselves. Choose Enhanced where the agreement says that the other anchor checks its customers that far.',
        'Cada remitente tiene para sí los límites de este nivel. Elija Ampliado si el acuerdo dice que el otro anchor comprueba tanto a sus clientes.',
      ),
    },
    lei: {
      label: text('LEI', 'LEI'),
      invalid: text('Enter the 20 characters of an LEI.', 'Introduzca los 20 caracteres de un LEI.'),
    },
    licence: text('Licence and its number', 'Licencia y su número'),
    agreed: text('Day of the agreement', 'Día del acuerdo'),
    ends: {
      label: text('Last day', 'Último día'),
      hint: text(
        'After this day the anchor cannot send on the public network.',
        'Después de ese día, el anchor no puede enviar en la red pública.',
      ),
    },
    send: text('Add agreement', 'Añadir acuerdo'),
    failed: text('The agreement was not saved', 'El acuerdo no se guardó'),
  },
  change: {
    title: text('Change agreement', 'Cambiar el acuerdo'),
    action: text('Change', 'Cambiar'),
    send: text('Save', 'Guardar'),
  },
  changeWhat: text(
    (name: string) => `Change the agreement with ${name}`,
    name => `Cambiar el acuerdo con ${name}`,
  ),
  end: text('End', 'Terminar'),
  endWhat: text(
    (name: string) => `End the agreement with ${name}`,
    name => `Terminar el acuerdo con ${name}`,
  ),
  ending: {
    title: text(
      (name: string) => `End the agreement with ${name}?`,
      name => `¿Terminar el acuerdo con ${name}?`,
    ),
    lead: text(
      'New payments of this anchor are refused. Payments under way continue.',
      'Los pagos nuevos de este anchor se rechazan. Los pagos en curso continúan.',
    ),
    send: text('End agreement', 'Terminar acuerdo'),
    failed: text('The agreement was not ended', 'El acuerdo no se terminó'),
  },
})
