import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { catalogue, text, type Text } from '@windlass/ui/catalogue.ts'

export const customers = catalogue({
  title: text('Customers', 'Clientes'),
  lead: text(
    'Customers of your anchor and the status of their identity check. Their personal data stays with the anchor.',
    'Los clientes de su anchor y el estado de su verificación de identidad. Sus datos personales se quedan en el anchor.',
  ),
  search: text('Search customers', 'Buscar clientes'),
  columns: {
    find: text('Find', 'Buscar'),
    findHint: text('Name, its beginning, email, ID or memo', 'Nombre, su comienzo, correo, ID o memo'),
    name: text('Name', 'Nombre'),
    account: text('Wallet', 'Billetera'),
    memo: text('Memo', 'Memo'),
    since: text('Since', 'Desde'),
    status: text('Identity', 'Identidad'),
    actions: text('Actions', 'Acciones'),
  },
  statuses: {
    ACCEPTED: text('Verified', 'Verificada'),
    PROCESSING: text('Pending', 'Pendiente'),
    REJECTED: text('Rejected', 'Rechazada'),
    NEEDS_INFO: text('Not verified', 'Sin verificar'),
  } satisfies Record<KycStatus, Text> as Record<string, Text>,
  linked: text('Linked, not proven', 'Vinculada, sin demostrar'),
  linkedHint: text(
    'A verified customer linked this wallet without a proof that it is theirs. It counts within the limits of that customer.',
    'Un cliente verificado vinculó esta billetera sin demostrar que es suya. Cuenta dentro de los límites de ese cliente.',
  ),
  detail: {
    title: text('Customer', 'Cliente'),
    id: text('Customer ID', 'ID del cliente'),
    checked: text('Identity check ended', 'Fin de la verificación de identidad'),
    names: text('Names', 'Nombres'),
    namesDiffer: text('Different', 'Distintos'),
    namesDifferHint: text(
      'The customer told a name unlike the one on their document. Both are compared with the sanctions lists. An API key with the scope write shows them.',
      'El cliente dio un nombre distinto del de su documento. Los dos se comparan con las listas de sanciones. Una clave de API con el permiso write los muestra.',
    ),
    held: text('Data that the anchor holds', 'Datos que tiene el anchor'),
    heldHint: text(
      'Only the names are shown here. The values need an API key with the scope write.',
      'Aquí solo se muestran los nombres. Los valores requieren una clave de API con el permiso write.',
    ),
    nothingHeld: text('None', 'Ninguno'),
    same: {
      document: text('Same person', 'La misma persona'),
      documentHint: text(
        'They showed the same document. Limits, debts, blocks and confirmed hits count for all of them.',
        'Mostraron el mismo documento. Los límites, deudas, bloqueos y coincidencias confirmadas cuentan para todos.',
      ),
      name: text('Perhaps the same person', 'Quizá la misma persona'),
      nameHint: text(
        'They have the same name and date of birth, and other documents. Nothing counts together.',
        'Tienen el mismo nombre y fecha de nacimiento, y otros documentos. Nada cuenta en común.',
      ),
    },
    tiers: text('Tier decisions', 'Decisiones sobre el nivel'),
    transactions: text('Latest transactions', 'Últimas transacciones'),
    allTransactions: text('All transactions of this wallet', 'Todas las transacciones de esta billetera'),
    noTransactions: text('No transactions yet', 'Ninguna transacción todavía'),
  },
  empty: {
    title: text('No customers yet', 'Ningún cliente todavía'),
    filtered: text('No customer matches the filters', 'Ningún cliente coincide con los filtros'),
    detail: text(
      'A customer appears with their first deposit, withdrawal or SEP-12 request.',
      'Un cliente aparece con su primer depósito, retiro o solicitud SEP-12.',
    ),
  },
})
