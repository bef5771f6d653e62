import type { Retention } from '@windlass/contracts/anchor/retention.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('How long data is kept', 'Cuánto se guardan los datos'),
  lead: text(
    'Years after a customer left, a transfer, a payment, or the end of a case. What is due is removed every hour, except what an open case, complaint or dispute is about. Amounts, days and hashes stay.',
    'Años después de que un cliente se va, de una transferencia, de un pago o del fin de un caso. Lo que vence se elimina cada hora, salvo lo que trata un caso, una queja o una disputa abiertos. Los importes, los días y los hashes se quedan.',
  ),
  change: text('Change', 'Cambiar'),
  customers: text('Customers who left, years', 'Clientes que se fueron, años'),
  travel: text('Sender and receiver of a transfer, years', 'Remitente y receptor de una transferencia, años'),
  payments: text(
    'Bank lines, bank files, payout files and accounts, years',
    'Líneas y archivos del banco, archivos de pagos y cuentas, años',
  ),
  cases: text(
    'Cases, registers and names with hits, years',
    'Casos, registros y nombres con coincidencias, años',
  ),
  kept: text('Customers kept now', 'Clientes guardados ahora'),
  removals: text('Removed', 'Eliminados'),
  kinds: {
    customer: text('Customers', 'Clientes'),
    'travel-record': text('Senders and receivers', 'Remitentes y receptores'),
    snapshot: text('What was known of transactions', 'Lo que se sabía de transacciones'),
    'bank-line': text('Details of bank lines', 'Detalles de líneas del banco'),
    'bank-file': text('Files of banks', 'Archivos de bancos'),
    'payout-file': text('Contents of payout files', 'Contenidos de archivos de pagos'),
    account: text('Bank accounts of payouts', 'Cuentas bancarias de pagos'),
    'transaction-note': text('Notes about transactions', 'Notas sobre transacciones'),
    case: text('Notes of cases', 'Notas de casos'),
    'register-entry': text('Entries of registers', 'Entradas de registros'),
    'outside-answer': text('Findings of programs', 'Hallazgos de programas'),
    'screened-name': text('Compared names', 'Nombres comparados'),
  } satisfies Record<Retention['removals'][number]['kind'], string>,
  columns: {
    kind: text('What', 'Qué'),
    count: text('How many', 'Cuántos'),
    before: text('Ended before', 'Terminados antes de'),
    at: text('When', 'Cuándo'),
  },
  copy: {
    action: text('Copy of a customer', 'Copia de un cliente'),
    lead: text(
      'Everything that your anchor has of them, as JSON, for their request of access: also of one who left and is kept. Leave out what would tip someone off.',
      'Todo lo que su anchor tiene de él, como JSON, para su solicitud de acceso: también de quien se fue y se guarda. Omita lo que alertaría a alguien.',
    ),
    id: text('Customer ID', 'ID del cliente'),
    missing: text('Fill this in.', 'Complete este campo.'),
    send: text('Save copy', 'Guardar copia'),
    failed: text('The copy was not made', 'La copia no se hizo'),
  },
  form: {
    title: text('How long data is kept', 'Cuánto se guardan los datos'),
    invalid: text('Enter a number from 1 to 10.', 'Escriba un número de 1 a 10.'),
    send: text('Save', 'Guardar'),
    failed: text('It was not saved', 'No se guardó'),
  },
})
