import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const lineTexts = catalogue({
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
    matching: {
      title: text('Lines are being matched', 'Se están asignando líneas'),
      detail: text(
        'Those that need you appear here within a minute.',
        'Las que necesiten su decisión aparecen aquí en un minuto.',
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
    failed: text(
      'The server failed to match it for an hour. Its administrators see why in the log.',
      'El servidor no pudo conciliarla durante una hora. Sus administradores ven el motivo en el registro.',
    ),
    removed: text(
      (day: string) => `Removed on ${day} by retention`,
      day => `Eliminado el ${day} por el plazo de conservación`,
    ),
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
      'Payments that the bank sent back after they were paid. The money is yours to pay again, or to refund. Returns that the server cannot prove it ordered wait here too.',
      'Pagos que el banco devolvió después de pagarlos. El dinero espera a que lo pague de nuevo o lo reembolse. Aquí esperan también reembolsos de los que su servidor no tiene prueba.',
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
    release: text('Release', 'Liberar'),
    releaseWhat: text(
      (amount: string) => `Release: ${amount}`,
      amount => `Liberar: ${amount}`,
    ),
    notOrdered: text(
      'Your server has no proof that it ordered this return. Two people look at what came and release it. If the database was changed, find out who did.',
      'Su servidor no tiene prueba de haber ordenado este reembolso. Dos personas miran lo que llegó y lo liberan. Si se cambió la base de datos, averigüe quién fue.',
    ),
    releaseTitle: text('Release a return', 'Liberar un reembolso'),
    releaseLead: text(
      (amount: string) =>
        `${amount} goes back to who paid it, once a second person approves. Look first for the payment that it returns.`,
      amount =>
        `${amount} vuelve a quien lo pagó cuando otra persona lo apruebe. Busque antes el pago que se devuelve.`,
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
})
