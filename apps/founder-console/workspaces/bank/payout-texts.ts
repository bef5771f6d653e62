import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const payoutTexts = catalogue({
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
})
