import type { ManualEntry } from '@windlass/contracts/anchor/manual-entries.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const manualTexts = catalogue({
  title: text('Entries that people wrote', 'Asientos escritos por personas'),
  lead: text(
    'For what no rule covers. A second person approves each, and each has a text and a document.',
    'Para lo que ninguna regla cubre. Una segunda persona aprueba cada uno, y cada uno tiene un texto y un documento.',
  ),
  empty: {
    title: text('No entries', 'Ningún asiento'),
    detail: text(
      'Everything in the journal was recorded by the anchor itself.',
      'Todo lo del diario lo registró el propio anchor.',
    ),
  },
  write: text('Write an entry', 'Escribir un asiento'),
  text: text('Text', 'Texto'),
  lines: text('Accounts', 'Cuentas'),
  by: text('Written by', 'Escrito por'),
  status: text('Status', 'Estado'),
  actions: text('Actions', 'Acciones'),
  states: {
    waiting: text('Waits for a second person', 'Espera a una segunda persona'),
    done: text('Counts', 'Cuenta'),
    rejected: text('Rejected', 'Rechazado'),
    reversing: text('To be taken back', 'Por retirar'),
    reversed: text('Taken back', 'Retirado'),
  } satisfies Record<ManualEntry['status'], Text>,
  takenBack: text(
    (who: string, why: string) => `${who} asked to take it back: ${why}`,
    (who, why) => `${who} pidió retirarlo: ${why}`,
  ),
  document: text('Document', 'Documento'),
  documentOf: text(
    (what: string) => `Download the document of ${what}`,
    what => `Descargar el documento de ${what}`,
  ),
  approve: text('Approve', 'Aprobar'),
  approveWhat: text(
    (what: string) => `Approve ${what}`,
    what => `Aprobar ${what}`,
  ),
  reject: text('Reject', 'Rechazar'),
  rejectWhat: text(
    (what: string) => `Reject ${what}`,
    what => `Rechazar ${what}`,
  ),
  reverse: text('Take back', 'Retirar'),
  reverseWhat: text(
    (what: string) => `Take ${what} back`,
    what => `Retirar ${what}`,
  ),
  failed: text('The entry was not changed', 'El asiento no se cambió'),
  form: {
    title: text('Write an entry', 'Escribir un asiento'),
    lead: text(
      `It counts once another ${decider.finance} approves it. Entries of more lines or other currencies are written by the API.`,
      `Cuenta cuando lo aprueba otra ${decider.finance}. Los asientos de más líneas o en otras monedas se escriben con la API.`,
    ),
    text: { label: text('Why', 'Por qué'), missing: text('Say why.', 'Diga por qué.') },
    from: text('From account', 'De la cuenta'),
    to: text('To account', 'A la cuenta'),
    accountMissing: text('Choose an account.', 'Elija una cuenta.'),
    sameAccount: text(
      'Choose another account than the one that the amount leaves.',
      'Elija otra cuenta que aquella de la que sale el importe.',
    ),
    amount: text('Amount', 'Importe'),
    unit: {
      label: text('Unit', 'Unidad'),
      missing: text('Choose the unit.', 'Elija la unidad.'),
    },
    bookedOn: {
      label: text('Day', 'Día'),
      hint: text('Without it, the day on which it is approved.', 'Sin él, el día en que se aprueba.'),
    },
    document: {
      label: text('Document', 'Documento'),
      hint: text(
        'What it rests on, such as an invoice: at most 1 MB.',
        'En qué se basa, como una factura: como máximo 1 MB.',
      ),
      missing: text('Choose a document.', 'Elija un documento.'),
    },
    send: text('Ask for approval', 'Pedir aprobación'),
  },
})
