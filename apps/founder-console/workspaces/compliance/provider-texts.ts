import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Providers', 'Proveedores'),
  lead: text(
    'Whom you exchange data of the travel rule with. Money waits for the answer of those with a travel address.',
    'Con quién intercambia datos de la regla de viaje. El dinero espera la respuesta de los que tienen dirección de viaje.',
  ),
  own: text('Your travel address', 'Su dirección de viaje'),
  add: text('Add provider', 'Añadir proveedor'),
  change: text('Change', 'Cambiar'),
  changeWhat: text(
    (name: string) => `Change ${name}`,
    name => `Cambiar ${name}`,
  ),
  end: text('Remove', 'Quitar'),
  endWhat: text(
    (name: string) => `Remove ${name}`,
    name => `Quitar ${name}`,
  ),
  empty: {
    title: text('No providers yet', 'Aún no hay proveedores'),
    detail: text(
      'Add those that hold wallets of your customers, with the travel address that they gave you.',
      'Añada los que custodian billeteras de sus clientes, con la dirección de viaje que le dieron.',
    ),
  },
  columns: {
    name: text('Name', 'Nombre'),
    country: text('Country', 'País'),
    lei: text('LEI', 'LEI'),
    agreed: text('Agreed', 'Acordado'),
    address: text('Travel address', 'Dirección de viaje'),
    actions: text('Actions', 'Acciones'),
  },
  none: text('None', 'Ninguna'),
  form: {
    title: text('Provider', 'Proveedor'),
    name: text('Name', 'Nombre'),
    lei: text('LEI', 'LEI'),
    country: {
      label: text('Country', 'País'),
      hint: text('Two letters, such as DE.', 'Dos letras, como DE.'),
    },
    licence: text('Licence', 'Licencia'),
    agreed: text('Agreed on', 'Acordado el'),
    address: {
      label: text('Travel address', 'Dirección de viaje'),
      hint: text(
        'ta…, as they gave it to you. Names of customers are sent there.',
        'ta…, como se la dieron. Allí se envían nombres de clientes.',
      ),
    },
    domains: {
      label: text('Client domains', 'Dominios de cliente'),
      hint: text(
        'Of wallets that hold for their customers, separated by spaces.',
        'De billeteras que custodian para sus clientes, separados por espacios.',
      ),
    },
    accounts: {
      label: text('Accounts on the ledger', 'Cuentas en el libro'),
      hint: text('G…, separated by spaces.', 'G…, separadas por espacios.'),
    },
    theirs: {
      label: text('Their client certificates', 'Sus certificados de cliente'),
      hint: text(
        'SHA-256 of each, separated by spaces. With one, messages without it are refused. Needs a proxy that asks for certificates.',
        'SHA-256 de cada uno, separados por espacios. Con uno, se rechazan los mensajes sin él. Requiere un proxy que pida certificados.',
      ),
    },
    authority: {
      label: text('Who signs their server’s certificate', 'Quién firma el certificado de su servidor'),
      hint: text('PEM. By default public authorities.', 'PEM. Por defecto, autoridades públicas.'),
    },
    certificate: {
      label: text('Your client certificate', 'Su propio certificado de cliente'),
      hint: text('PEM, for this provider alone.', 'PEM, solo para este proveedor.'),
    },
    key: text('Its private key', 'Su clave privada'),
    presents: text(
      (until: string) => `Your certificate, valid until ${until}`,
      until => `Su certificado, válido hasta ${until}`,
    ),
    forget: text('Remove it', 'Quitarlo'),
    invalidKey: text(
      'Enter the certificate and its key, or neither.',
      'Escriba el certificado y su clave, o ninguno.',
    ),
    invalidDigest: text(
      'Enter 64 letters and digits (0–9, a–f) for each.',
      'Escriba 64 letras y cifras (0–9, a–f) para cada uno.',
    ),
    missing: text('Enter a name.', 'Escriba un nombre.'),
    invalidCountry: text('Enter two letters.', 'Escriba dos letras.'),
    send: text('Save', 'Guardar'),
    failed: text('The provider was not saved', 'El proveedor no se guardó'),
  },
  ending: {
    title: text(
      (name: string) => `Remove ${name}`,
      name => `Quitar ${name}`,
    ),
    note: text(
      'Nothing is sent to them any more, and inquiries of theirs are rejected.',
      'Ya no se les envía nada y se rechazan sus consultas.',
    ),
    send: text('Remove', 'Quitar'),
    failed: text('The provider was not removed', 'El proveedor no se quitó'),
  },
  inquiries: {
    title: text('Inquiries', 'Consultas'),
    lead: text(
      'What you asked providers about transfers, and what they asked you.',
      'Lo que preguntó a proveedores sobre transferencias, y lo que le preguntaron.',
    ),
    empty: {
      title: text('No inquiries', 'Sin consultas'),
      detail: text(
        'They appear when a transfer to or from a provider reaches the threshold.',
        'Aparecen cuando una transferencia con un proveedor alcanza el umbral.',
      ),
    },
    columns: {
      at: text('Time', 'Hora'),
      provider: text('Provider', 'Proveedor'),
      direction: text('Direction', 'Sentido'),
      amount: text('Amount', 'Importe'),
      sides: text('From and to', 'De y para'),
      state: text('State', 'Estado'),
      actions: text('Actions', 'Acciones'),
    },
    directions: { sent: text('Sent', 'Enviada'), received: text('Received', 'Recibida') },
    states: {
      queued: text('Being sent', 'Enviándose'),
      sent: text('Unanswered', 'Sin respuesta'),
      expected: text('Expected', 'Esperada'),
      waiting: text('Waits for you', 'Espera su decisión'),
      approved: text('Approved', 'Aprobada'),
      rejected: text('Rejected', 'Rechazada'),
      released: text('Released', 'Liberada'),
      confirmed: text('Paid', 'Pagada'),
      canceled: text('Canceled', 'Cancelada'),
    },
    failures: {
      unreachable: text(
        'The server of the provider does not answer.',
        'El servidor del proveedor no responde.',
      ),
      refused: text('The provider did not take your message.', 'El proveedor no aceptó su mensaje.'),
      'no-answer': text(
        'The provider took your message with an answer that is none.',
        'El proveedor aceptó su mensaje con una respuesta que no lo es.',
      ),
    },
    next: {
      sent: text(
        'Check their travel address with them. Release lets the money move without them.',
        'Compruebe con ellos su dirección de viaje. Liberar mueve el dinero sin ellos.',
      ),
      received: text(
        'The money does not move by it: ask them whether the inquiry was theirs. Release the expected one to let it move.',
        'El dinero no se mueve por ella: pregúnteles si la consulta era suya. Libere la esperada para moverlo.',
      ),
    },
    approve: text('Approve', 'Aprobar'),
    reject: text('Reject', 'Rechazar'),
    release: text('Release', 'Liberar'),
    notes: {
      approve: text(
        'The provider hears that you take the payment.',
        'El proveedor recibe que usted acepta el pago.',
      ),
      reject: text(
        'The provider hears your reason. A payment that comes anyway waits.',
        'El proveedor recibe su motivo. Un pago que llegue de todos modos espera.',
      ),
      release: text(
        'The money moves without an answer of the provider.',
        'El dinero se mueve sin respuesta del proveedor.',
      ),
    },
    reason: text('Reason', 'Motivo'),
    reasonMissing: text('Enter a reason.', 'Escriba un motivo.'),
    failed: text('The inquiry was not decided', 'La consulta no se decidió'),
  },
})
