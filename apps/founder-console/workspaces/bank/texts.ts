import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const texts = catalogue({
  none: {
    title: text('No rail with bank files', 'Ningún medio de pago con archivos bancarios'),
    detail: text(
      'Your rails report payments by themselves. A rail of the provider “Bank files” is managed here.',
      'Sus medios de pago informan de los pagos por sí mismos. Uno del proveedor «Archivos bancarios» se gestiona aquí.',
    ),
  },
  statements: {
    title: text('Bank statements', 'Extractos bancarios'),
    lead: text(
      'Each booking counts once, whichever files have it. Lines with the reference of a deposit are matched by themselves.',
      'Cada apunte cuenta una vez, esté en los archivos que esté. Las líneas con la referencia de un depósito se asignan solas.',
    ),
    upload: text('Upload statement', 'Subir un extracto'),
    columnsOfCsv: text('CSV columns', 'Columnas del CSV'),
    empty: {
      title: text('No statements yet', 'Ningún extracto todavía'),
      detail: text(
        'Download a statement from your bank and upload it here.',
        'Descargue un extracto de su banco y súbalo aquí.',
      ),
    },
    columns: {
      at: text('Read', 'Leído'),
      file: text('File', 'Archivo'),
      rail: text('Rail', 'Medio de pago'),
      days: text('Days', 'Días'),
      lines: text('Lines', 'Líneas'),
      newLines: text('New', 'Nuevas'),
      actions: text('Actions', 'Acciones'),
    },
    download: text('Download', 'Descargar'),
    downloadWhat: text(
      (file: string) => `Download the file ${file} as it came`,
      file => `Descargar el archivo ${file} tal como llegó`,
    ),
    downloadFailed: text('The file was not downloaded', 'El archivo no se descargó'),
  },
  upload: {
    title: text('Upload statement', 'Subir un extracto'),
    rail: text('Rail', 'Medio de pago'),
    file: {
      label: text('File', 'Archivo'),
      hint: text(
        'camt.053, camt.054, MT940, OFX or CSV, or a ZIP of these, at most 24 MB, as your bank made it.',
        'camt.053, camt.054, MT940, OFX o CSV, o un ZIP de ellos, de 24 MB como máximo, tal como lo creó su banco.',
      ),
      missing: text('Choose a file.', 'Elija un archivo.'),
      tooLarge: text(
        'The file has more than 24 MB. Download the statement in parts.',
        'El archivo tiene más de 24 MB. Descargue el extracto por partes.',
      ),
    },
    unnamed: text(
      (rail: string) =>
        `The statement names no account. Compare it with the account of ${rail}. If it is that account’s, upload it again.`,
      rail =>
        `El extracto no nombra ninguna cuenta. Compárelo con la cuenta de ${rail}. Si es de esa cuenta, súbalo de nuevo.`,
    ),
    send: text('Upload', 'Subir'),
    failed: text('The statement was not read', 'El extracto no se leyó'),
    done: text(
      (lines: number, added: number) =>
        `${lines} ${lines === 1 ? 'line' : 'lines'} read, ${added} of them new.`,
      (lines, added) => `${lines} ${lines === 1 ? 'línea leída' : 'líneas leídas'}, ${added} nuevas.`,
    ),
    doubtful: text(
      (count: number) =>
        count === 1
          ? '1 of them may be a line of an earlier file: decide below.'
          : `${count} of them may be lines of an earlier file: decide below.`,
      count =>
        count === 1
          ? '1 de ellas puede ser una línea de un archivo anterior: decida abajo.'
          : `${count} de ellas pueden ser líneas de un archivo anterior: decida abajo.`,
    ),
    leftOut: text(
      (rows: number) => `${rows} left out: pending or failed.`,
      rows => `${rows} sin contar: pendientes o fallidas.`,
    ),
    notRead: {
      'other-account': text(
        (detail: string) => `A statement of another account was left out: ${detail}`,
        detail => `No se contó un extracto de otra cuenta: ${detail}`,
      ),
      unreadable: text(
        (detail: string) => `A booking that moved nothing, as the balances show, was left out: ${detail}`,
        detail => `No se contó un apunte que, según los saldos, no movió dinero: ${detail}`,
      ),
      'no-day': text(
        (detail: string) => `A row without a date was left out: ${detail}`,
        detail => `No se contó una fila sin fecha: ${detail}`,
      ),
      'notice-of-change': text(
        (detail: string) =>
          `A bank corrects a payout that it made (${detail}). Download the file for what is right, and use it from the next payout on.`,
        detail =>
          `Un banco corrige un pago que hizo (${detail}). Descargue el archivo para ver el dato correcto, y úselo a partir del próximo pago.`,
      ),
    },
  },
  review: {
    title: text('Lines to review', 'Líneas por revisar'),
    lead: text(
      'Nothing happens to this money until you decide.',
      'Con este dinero no pasa nada hasta que usted decida.',
    ),
    empty: {
      title: text('Nothing to review', 'Nada por revisar'),
      detail: text(
        'Lines that cannot be matched by themselves appear here.',
        'Las líneas que no se asignan solas aparecen aquí.',
      ),
    },
    columns: {
      day: text('Booked', 'Contabilizada'),
      party: text('From or to', 'De o para'),
      amount: text('Amount', 'Importe'),
      reason: text('Reason', 'Motivo'),
    },
    decide: text('Decide', 'Decidir'),
    decideWhat: text(
      (amount: string, day: string) => `Decide about ${amount} of ${day}`,
      (amount, day) => `Decidir sobre ${amount} del ${day}`,
    ),
    in: text('Received', 'Recibido'),
    out: text('Paid', 'Pagado'),
    unknown: text('Unknown', 'Desconocido'),
    possibleDuplicate: text(
      (day: string, file: string) => `Possible duplicate of the line of ${day} in the file ${file}.`,
      (day, file) => `Posible duplicado de la línea del ${day} en el archivo ${file}.`,
    ),
  },
  decision: {
    title: text('Statement line', 'Línea del extracto'),
    fields: {
      text: text('Text', 'Texto'),
      account: text('Account', 'Cuenta'),
      reference: text('Bank reference', 'Referencia del banco'),
      party: text('Name', 'Nombre'),
    },
    other: {
      lead: text(
        'Two files may have the same booking. Compare both lines with your bank. If it is one booking, choose “Listed twice”.',
        'Dos archivos pueden tener el mismo apunte. Compare ambas líneas con su banco. Si es un solo apunte, elija «Repetida».',
      ),
      reference: text('Bank reference of the other line', 'Referencia del banco de la otra línea'),
      status: text('Status of the other line', 'Estado de la otra línea'),
      statuses: {
        new: text('New', 'Nueva'),
        matched: text('Matched', 'Asignada'),
        review: text('Waiting for a decision', 'Pendiente de decisión'),
        returned: text('Sent back', 'Reembolsada'),
        ignored: text('Ignored', 'Ignorada'),
      },
    },
    what: {
      label: text('What is it?', '¿Qué es?'),
      missing: text('Choose what it is.', 'Elija qué es.'),
      match: {
        label: text('Payment of a transaction', 'Pago de una transacción'),
        hint: text(
          'A deposit’s money, or a withdrawal’s payout.',
          'El dinero de un depósito o el pago de un retiro.',
        ),
      },
      return: {
        label: text('Send it back', 'Reembolsarlo'),
        hint: text(
          'It goes to the payer with the next payout file.',
          'Va al pagador con el próximo archivo de pagos.',
        ),
      },
      own: {
        label: text('Our own money', 'Dinero propio'),
        hint: text(
          'Capital, interest, charges or a transfer of ours. You name the account.',
          'Capital, intereses, cargos o un traspaso nuestro. Usted indica la cuenta.',
        ),
      },
      duplicate: {
        label: text('Listed twice', 'Repetida'),
        hint: text('The same booking is another line.', 'El mismo apunte es otra línea.'),
      },
    },
    account: {
      label: text('Account', 'Cuenta'),
      hint: text(
        'Where the journal has it. A transfer between two accounts with statements is in transit until both statements are read.',
        'Dónde la tiene el diario. Un traspaso entre dos cuentas con extractos está en tránsito hasta que se leen ambos.',
      ),
      missing: text('Choose an account.', 'Elija una cuenta.'),
    },
    transaction: {
      label: text('Transaction ID', 'ID de la transacción'),
      hint: text('Choose one below, or enter its ID.', 'Elija una abajo o escriba su ID.'),
      hintOfDebit: text(
        'Leave it empty if the line names a return.',
        'Déjelo vacío si la línea nombra un reembolso.',
      ),
      missing: text('Enter the ID of the transaction.', 'Escriba el ID de la transacción.'),
    },
    duplicateOf: {
      label: text('Line that it repeats', 'Línea que repite'),
      hint: text(
        'Choose one below. That line counts, this one does not.',
        'Elija una abajo. Aquella cuenta, esta no.',
      ),
      missing: text('Choose the line that it repeats.', 'Elija la línea que repite.'),
    },
    twins: text(
      'Lines of the same amount or bank reference',
      'Líneas del mismo importe o referencia del banco',
    ),
    noTwins: text(
      'There is none, so this line is no repetition.',
      'No hay ninguna, así que esta línea no repite otra.',
    ),
    candidates: text('Deposits that wait for this amount', 'Depósitos que esperan este importe'),
    choose: text('Choose', 'Elegir'),
    samePayer: text('Same name', 'Mismo nombre'),
    reason: {
      label: text('Reason', 'Motivo'),
      hint: text('Others see it with the line.', 'Los demás lo ven con la línea.'),
      missing: text('Enter the reason.', 'Escriba el motivo.'),
    },
    send: text('Save decision', 'Guardar la decisión'),
    failed: text('The decision was not saved', 'La decisión no se guardó'),
  },
  approval: {
    asks: text(
      (who: string, what: string) => `${who} asks for approval: ${what}`,
      (who, what) => `${who} pide aprobación: ${what}`,
    ),
    own: text(
      `You asked for this. Another ${decider.finance} approves it.`,
      `Usted pidió esto. Lo aprueba otra ${decider.finance}.`,
    ),
    approve: text('Approve', 'Aprobar'),
    approveWhat: text(
      (amount: string) => `Approve the decision about ${amount}`,
      amount => `Aprobar la decisión sobre ${amount}`,
    ),
    reject: text('Reject', 'Rechazar'),
    rejectWhat: text(
      (amount: string) => `Reject the decision about ${amount}`,
      amount => `Rechazar la decisión sobre ${amount}`,
    ),
    failed: text('The decision was not changed', 'La decisión no cambió'),
  },
  returned: {
    title: text('Returned payments', 'Pagos devueltos'),
    lead: text(
      'Payments that the bank sent back after they were paid. The money is yours to pay again, or to refund.',
      'Pagos que el banco devolvió después de pagarlos. El dinero espera a que lo pague de nuevo o lo reembolse.',
    ),
    empty: {
      title: text('None', 'Ninguno'),
      detail: text(
        'A payout that the bank sends back appears here.',
        'Un pago que el banco devuelve aparece aquí.',
      ),
    },
    columns: {
      at: text('Returned', 'Devuelto'),
      kind: text('Payment', 'Pago'),
      amount: text('Amount', 'Importe'),
      reason: text('Reason', 'Motivo'),
      decide: text('Actions', 'Acciones'),
    },
    kinds: { payout: text('Payout', 'Pago'), return: text('Return', 'Reembolso') },
    open: text('Open transaction', 'Abrir la transacción'),
    openWhat: text(
      (amount: string) => `Open transaction of ${amount}`,
      amount => `Abrir la transacción de ${amount}`,
    ),
    pay: text('Pay again', 'Pagar de nuevo'),
    payWhat: text(
      (amount: string) => `Pay again: ${amount}`,
      amount => `Pagar de nuevo: ${amount}`,
    ),
    payTitle: text('Pay a return again', 'Pagar de nuevo un reembolso'),
    payLead: text(
      (amount: string) =>
        `${amount} waits for the next payout file again. If the account is closed, add another one there.`,
      amount =>
        `${amount} espera de nuevo el próximo archivo de pagos. Si la cuenta está cerrada, añada otra allí.`,
    ),
    failed: text('The payment was not changed', 'El pago no cambió'),
  },
  decided: {
    title: text('Decisions about lines', 'Decisiones sobre líneas'),
    lead: text(
      'What people decided. A decision can be reversed as long as no money left for it.',
      'Lo que decidieron personas. Una decisión se puede revertir mientras no haya salido dinero por ella.',
    ),
    empty: {
      title: text('No decisions yet', 'Ninguna decisión todavía'),
      detail: text(
        'Lines about which someone decided appear here.',
        'Las líneas sobre las que alguien decidió aparecen aquí.',
      ),
    },
    columns: { status: text('Decision', 'Decisión') },
    statuses: {
      new: text('New', 'Nueva'),
      review: text('To review', 'Por revisar'),
      matched: text('Payment of a transaction', 'Pago de una transacción'),
      returned: text('Sent back', 'Reembolsada'),
      ignored: text('Own money or listed twice', 'Dinero propio o repetida'),
    },
    key: text('an API key', 'una clave de API'),
    reverse: text('Reverse', 'Revertir'),
    reverseWhat: text(
      (amount: string, day: string) => `Reverse the decision about ${amount} of ${day}`,
      (amount, day) => `Revertir la decisión sobre ${amount} del ${day}`,
    ),
  },
  reversal: {
    title: text('Reverse the decision', 'Revertir la decisión'),
    lead: text(
      'The line waits for another decision. A transaction that it was matched to waits again, if the asset was not paid and the customer not refunded.',
      'La línea espera otra decisión. La transacción a la que se asignó espera de nuevo, si el activo no se pagó ni se reembolsó al cliente.',
    ),
    send: text('Reverse', 'Revertir'),
    failed: text('The decision was not reversed', 'La decisión no se revirtió'),
  },
  payouts: {
    title: text('Payouts to the bank', 'Pagos al banco'),
    lead: text(
      `Payouts wait here until you put them into a file. A second ${decider.finance} approves it.`,
      `Los pagos esperan aquí hasta que los pone en un archivo. Lo aprueba una segunda ${decider.finance}.`,
    ),
    waiting: text(
      (count: number) =>
        count === 0 ? 'No payouts wait.' : count === 1 ? '1 payout waits.' : `${count} payouts wait.`,
      count =>
        count === 0 ? 'Ningún pago espera.' : count === 1 ? '1 pago espera.' : `${count} pagos esperan.`,
    ),
    more: text(
      (count: number) => `More than ${count} payouts wait.`,
      count => `Más de ${count} pagos esperan.`,
    ),
    withoutAccount: text(
      (count: number) =>
        `${count} without an account: ${count === 1 ? 'it stays' : 'they stay'} out of files.`,
      count => `${count} sin cuenta: ${count === 1 ? 'queda' : 'quedan'} fuera de los archivos.`,
    ),
    withoutLatinName: text(
      (count: number) =>
        `${count} whose holder’s name cannot be written in Latin letters: ${count === 1 ? 'it stays' : 'they stay'} out of files until you add the name as the bank knows it.`,
      count =>
        `${count} con un titular cuyo nombre no puede escribirse en letras latinas: ${count === 1 ? 'queda' : 'quedan'} fuera de los archivos hasta que añada el nombre tal como lo conoce el banco.`,
    ),
    notOrdered: text(
      (count: number) =>
        `${count} that your server did not order so: ${count === 1 ? 'it stays' : 'they stay'} out of files. Find out who changed the database.`,
      count =>
        `${count} que su servidor no ordenó así: ${count === 1 ? 'queda' : 'quedan'} fuera de los archivos. Averigüe quién cambió la base de datos.`,
    ),
    create: text(
      (rail: string) => `Create ${rail} file`,
      rail => `Crear archivo de ${rail}`,
    ),
    createFailed: text('No file was created', 'No se creó ningún archivo'),
    addAccount: text(
      (amount: string) => `Add account for ${amount}`,
      amount => `Añadir una cuenta para ${amount}`,
    ),
  },
  wishes: {
    title: text('Accounts of returns to approve', 'Cuentas de reembolsos por aprobar'),
    lead: text(
      'Each is another account than the money came from. Compare it with what the payer sent you, over a way that you know.',
      'Cada una es otra cuenta que aquella de la que vino el dinero. Compárela con lo que el pagador le envió, por una vía que usted conozca.',
    ),
    columns: {
      amount: text('Amount', 'Importe'),
      payee: text('Account', 'Cuenta'),
      by: text('Asked for', 'Pedida'),
      actions: text('Actions', 'Acciones'),
    },
    own: text(
      `You asked for it. Another ${decider.finance} approves it.`,
      `Usted la pidió. La aprueba otra ${decider.finance}.`,
    ),
    approve: text('Approve account', 'Aprobar la cuenta'),
    approveWhat: text(
      (account: string) => `Approve account ${account}`,
      account => `Aprobar la cuenta ${account}`,
    ),
    dismiss: text('Dismiss', 'Descartar'),
    dismissWhat: text(
      (account: string) => `Dismiss the account ${account}`,
      account => `Descartar la cuenta ${account}`,
    ),
    failed: text('The account was not changed', 'La cuenta no se cambió'),
  },
  sheet: {
    title: text('Payments of the file', 'Pagos del archivo'),
    lead: text(
      'Approve the file only if you know why each payment is made and where it goes. Your approval counts for exactly this list.',
      'Apruebe el archivo solo si sabe por qué se hace cada pago y adónde va. Su aprobación vale exactamente para esta lista.',
    ),
    columns: {
      payee: text('Payee', 'Beneficiario'),
      reference: text('Reference', 'Referencia'),
      amount: text('Amount', 'Importe'),
      why: text('Why', 'Por qué'),
    },
    payout: text('Withdrawal', 'Retiro'),
    total: text(
      (count: number, total: string) => `${count} ${count === 1 ? 'payment' : 'payments'}, ${total} in all`,
      (count, total) => `${count} ${count === 1 ? 'pago' : 'pagos'}, ${total} en total`,
    ),
    return: text(
      (day: string, name: string) => `Return of a payment of ${day} from ${name}`,
      (day, name) => `Reembolso de un pago del ${day} de ${name}`,
    ),
    unknown: text('an unknown payer', 'un pagador desconocido'),
    seenHolder: text(
      (name: string) => `By its statements: ${name}`,
      name => `Según sus extractos: ${name}`,
    ),
    marks: {
      'new-payee': text('New payee', 'Beneficiario nuevo'),
      'changed-account': text('Changed account', 'Cuenta cambiada'),
      'other-account': text(
        'Not the account that the money came from',
        'No es la cuenta de la que vino el dinero',
      ),
      'added-holder': text('Account holder added by hand', 'Titular añadido a mano'),
      'other-holder': text('The bank names another holder', 'El banco nombra a otro titular'),
    },
    marked: text(
      (count: number) =>
        count === 0
          ? 'Nothing changed since earlier files.'
          : count === 1
            ? '1 payment has something new.'
            : `${count} payments have something new.`,
      count =>
        count === 0
          ? 'Nada cambió desde archivos anteriores.'
          : count === 1
            ? '1 pago tiene algo nuevo.'
            : `${count} pagos tienen algo nuevo.`,
    ),
    own: text(
      `You made this file. Another ${decider.finance} looks at it and approves it.`,
      `Usted hizo este archivo. Lo mira y lo aprueba otra ${decider.finance}.`,
    ),
    approve: text('Approve file', 'Aprobar el archivo'),
    failed: text('The file was not approved', 'El archivo no se aprobó'),
  },
  account: {
    title: text('Account for a return', 'Cuenta para un reembolso'),
    lead: text(
      `Another account than the one that the money came from needs the approval of another ${decider.finance}.`,
      `Otra cuenta que aquella de la que vino el dinero necesita la aprobación de otra ${decider.finance}.`,
    ),
    dest: {
      label: text('Account', 'Cuenta'),
      hint: text('IBAN or account number of the payer.', 'IBAN o número de cuenta del pagador.'),
    },
    extra: {
      label: text('Bank', 'Banco'),
      hint: text('BIC, IFSC or routing number.', 'BIC, IFSC o número de ruta.'),
    },
    name: {
      label: text('Account holder', 'Titular de la cuenta'),
      hint: text('As the bank knows them.', 'Como lo conoce el banco.'),
    },
    missing: text('Enter a value.', 'Escriba un valor.'),
    send: text('Add account', 'Añadir la cuenta'),
    failed: text('The account was not added', 'La cuenta no se añadió'),
  },
  files: {
    title: text('Payout files', 'Archivos de pagos'),
    empty: {
      title: text('No files yet', 'Ningún archivo todavía'),
      detail: text(
        'Files that you create from waiting payouts appear here.',
        'Los archivos que crea con pagos en espera aparecen aquí.',
      ),
    },
    columns: {
      at: text('Created', 'Creado'),
      rail: text('Rail', 'Medio de pago'),
      payouts: text('Payouts', 'Pagos'),
      total: text('Total', 'Total'),
      status: text('Status', 'Estado'),
      actions: text('Actions', 'Acciones'),
    },
    statuses: {
      created: text('Waiting for approval', 'Pendiente de aprobación'),
      approved: text('Approved', 'Aprobado'),
      canceled: text('Canceled', 'Cancelado'),
      rejected: text('Rejected by bank', 'Rechazado por el banco'),
    },
    confirmed: text(
      (ended: number, all: number) => `${ended} of ${all} ended`,
      (ended, all) => `${ended} de ${all} terminados`,
    ),
    look: text('Look at payments', 'Mirar los pagos'),
    lookWhat: text(
      (total: string) => `Look at payments of the file of ${total}`,
      total => `Mirar los pagos del archivo de ${total}`,
    ),
    cancel: text('Cancel', 'Cancelar'),
    cancelWhat: text(
      (total: string) => `Cancel the file of ${total}`,
      total => `Cancelar el archivo de ${total}`,
    ),
    download: text('Download', 'Descargar'),
    downloadWhat: text(
      (total: string) => `Download the file of ${total}`,
      total => `Descargar el archivo de ${total}`,
    ),
    failed: text('The file was not changed', 'El archivo no se cambió'),
    rejection: {
      start: text('Report rejection', 'Indicar rechazo'),
      startWhat: text(
        (total: string) => `Report rejection of the file of ${total}`,
        total => `Indicar rechazo del archivo de ${total}`,
      ),
      title: text('The bank rejected this file', 'El banco rechazó este archivo'),
      lead: text(
        `Another ${decider.finance} approves it. Payouts that no statement shows then wait for the next file. You can refund a withdrawal on its own page instead.`,
        `Lo aprueba otra ${decider.finance}. Los pagos que ningún extracto muestra esperan entonces el siguiente archivo. También puede reembolsar un retiro en su propia página.`,
      ),
      reason: {
        label: text('Reason', 'Motivo'),
        hint: text('What the bank said. Others see it.', 'Lo que dijo el banco. Otros lo ven.'),
        missing: text('Enter the reason.', 'Introduzca el motivo.'),
      },
      send: text('Ask for approval', 'Pedir aprobación'),
      failed: text('The rejection was not saved', 'El rechazo no se guardó'),
      waiting: text(
        'The bank rejected it: waiting for approval',
        'El banco lo rechazó: pendiente de aprobación',
      ),
      own: text(
        `You said this. Another ${decider.finance} approves it.`,
        `Usted lo indicó. Lo aprueba otra ${decider.finance}.`,
      ),
      approve: text('Approve rejection', 'Aprobar el rechazo'),
      approveWhat: text(
        (total: string) => `Approve rejection of the file of ${total}`,
        total => `Aprobar el rechazo del archivo de ${total}`,
      ),
      dismiss: text('Dismiss', 'Descartar'),
      dismissWhat: text(
        (total: string) => `Dismiss rejection of the file of ${total}`,
        total => `Descartar el rechazo del archivo de ${total}`,
      ),
    },
  },
  preview: {
    title: text('As it will be read', 'Así se leerá'),
    lead: text(
      'Nothing of it counts yet. Compare the sums with your bank.',
      'Nada de esto cuenta todavía. Compare las sumas con las de su banco.',
    ),
    count: text(
      (lines: number, notBooked: number) =>
        notBooked === 0 ? `${lines}` : `${lines}, and ${notBooked} left out: pending or failed`,
      (lines, notBooked) =>
        notBooked === 0 ? `${lines}` : `${lines}, y ${notBooked} sin contar: pendientes o fallidas`,
    ),
    text: text('Text', 'Texto'),
    refused: text('The file will be refused', 'El archivo será rechazado'),
  },
  csv: {
    title: text('CSV columns', 'Columnas del CSV'),
    sample: {
      label: text('A file of your bank', 'Un archivo de su banco'),
      hint: text(
        'The columns are proposed from it, and you see how it is read before you save. It is not uploaded as a statement.',
        'Las columnas se proponen a partir de él, y usted ve cómo se lee antes de guardar. No se carga como extracto.',
      ),
      proposed: text(
        (columns: string) => `Filled in from the file; check each field. Its columns: ${columns}.`,
        columns => `Propuesto a partir del archivo; compruebe cada campo. Sus columnas: ${columns}.`,
      ),
    },
    show: text('Show rows', 'Mostrar las filas'),
    state: {
      label: text('State of the booking', 'Estado del movimiento'),
      hint: text(
        'Where the bank lists bookings that are pending or failed.',
        'Donde el banco incluye movimientos pendientes o fallidos.',
      ),
      booked: {
        label: text('Words for booked', 'Palabras para contabilizado'),
        hint: text(
          'Separated by commas. \"\" is an empty cell.',
          'Separadas por comas. \"\" es una celda vacía.',
        ),
      },
      pending: {
        label: text('Words for pending', 'Palabras para pendiente'),
        hint: text(
          'These rows are left out. A later file has them as booked.',
          'Estas filas no cuentan. Un archivo posterior las tiene como contabilizadas.',
        ),
      },
      failed: {
        label: text('Words for failed or reversed', 'Palabras para fallido o revertido'),
        hint: text('These rows are left out.', 'Estas filas no cuentan.'),
      },
      unassigned: text(
        (words: string) => `Say whether these are booked, pending or failed: ${words}.`,
        words => `Indique si están contabilizadas, pendientes o fallidas: ${words}.`,
      ),
      bookedMissing: text(
        'Enter the words for bookings that count.',
        'Escriba las palabras de los movimientos que cuentan.',
      ),
    },
    amountOutSign: {
      label: text('Money out is written', 'El dinero pagado se escribe'),
      signs: {
        '+': text('Without a minus', 'Sin signo menos'),
        '-': text('With a minus', 'Con signo menos'),
      },
    },
    lead: text(
      'Names as in the first row of the file.',
      'Los nombres como están en la primera fila del archivo.',
    ),
    delimiter: text('Separator', 'Separador'),
    delimiters: {
      ',': text('Comma', 'Coma'),
      ';': text('Semicolon', 'Punto y coma'),
      '\t': text('Tab', 'Tabulador'),
      '|': text('Vertical bar', 'Barra vertical'),
    },
    skipLines: {
      label: text('Rows before the head', 'Filas antes de la cabecera'),
      invalid: text('Enter a number from 0 to 50.', 'Escriba un número de 0 a 50.'),
    },
    encoding: text('Encoding', 'Codificación'),
    decimal: text('Decimal sign', 'Signo decimal'),
    decimals: { '.': text('Point', 'Punto'), ',': text('Comma', 'Coma') },
    date: text('Date', 'Fecha'),
    dateFormat: text('Order of the date', 'Orden de la fecha'),
    dateFormats: {
      'year-month-day': text('Year, month, day', 'Año, mes, día'),
      'day-month-year': text('Day, month, year', 'Día, mes, año'),
      'month-day-year': text('Month, day, year', 'Mes, día, año'),
    },
    amount: {
      label: text('Amount', 'Importe'),
      hint: text(
        'One column with signs or with credit and debit. Otherwise the two columns below.',
        'Una columna con signos o con abono y cargo. Si no, las dos columnas de abajo.',
      ),
    },
    direction: {
      label: text('Credit or debit', 'Abono o cargo'),
      hint: text('Values such as CR and DR.', 'Valores como CR y DR.'),
    },
    amountIn: text('Money in', 'Dinero recibido'),
    amountOut: text('Money out', 'Dinero pagado'),
    text: {
      label: text('Texts', 'Textos'),
      hint: text(
        'Columns with the description, separated by commas.',
        'Columnas con la descripción, separadas por comas.',
      ),
    },
    bankReference: text('Bank reference', 'Referencia del banco'),
    partyName: text('Name of the payer', 'Nombre del pagador'),
    partyAccount: text('Account of the payer', 'Cuenta del pagador'),
    partyBank: text('Bank of the payer', 'Banco del pagador'),
    currency: text('Currency', 'Moneda'),
    account: text('Own account', 'Cuenta propia'),
    balance: {
      label: text('Balance', 'Saldo'),
      hint: text(
        'After each booking. With it, a file that is cut off or lacks a row is refused.',
        'Después de cada movimiento. Con él se rechaza un archivo cortado o al que le falta una fila.',
      ),
    },
    missing: text('Enter the name of a column.', 'Escriba el nombre de una columna.'),
    amountMissing: text(
      'Enter a column for the amount, or one for money in and one for money out.',
      'Indique una columna para el importe, o una para el dinero recibido y otra para el pagado.',
    ),
    send: text('Save columns', 'Guardar las columnas'),
    failed: text('The columns were not saved', 'Las columnas no se guardaron'),
  },
})
