import type { WebhookEvent } from '@windlass/contracts/anchor/developer-api.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const webhooks = catalogue({
  title: text('Webhook endpoints', 'Webhooks'),
  lead: text(
    'Your anchor sends its events to your servers, signed as Standard Webhooks specifies.',
    'Su anchor envía sus eventos a sus servidores, firmados como indica Standard Webhooks.',
  ),
  add: text('Add endpoint', 'Añadir webhook'),
  columns: {
    url: text('URL', 'URL'),
    events: text('Events', 'Eventos'),
    since: text('Added', 'Añadido'),
    actions: text('Actions', 'Acciones'),
  },
  allEvents: text('All', 'Todos'),
  events: text(
    (count: number) => (count === 1 ? '1 event' : `${count} events`),
    count => (count === 1 ? '1 evento' : `${count} eventos`),
  ),
  eventsMissing: text('Choose at least one event', 'Elija al menos un evento'),
  eventNames: {
    'transaction.new': text('Transaction started', 'Transacción iniciada'),
    'transaction.identifying': text(
      'Transaction waits for an identity check',
      'La transacción espera una verificación de identidad',
    ),
    'transaction.awaiting_funds': text(
      'Transaction waits for the customer’s payment',
      'La transacción espera el pago del cliente',
    ),
    'transaction.funded': text('Customer’s payment received', 'Pago del cliente recibido'),
    'transaction.awaiting_trust': text(
      'Deposit waits for a trustline',
      'El depósito espera una línea de confianza',
    ),
    'transaction.paying_out': text('Payout sent to the rail', 'Pago enviado al medio de pago'),
    'transaction.completed': text('Transaction completed', 'Transacción completada'),
    'transaction.sent_back': text(
      'Bank sent the payment of a transaction back',
      'El banco devolvió el pago de una transacción',
    ),
    'transaction.returning': text('Refund started', 'Reembolso iniciado'),
    'transaction.returned': text('Transaction refunded', 'Transacción reembolsada'),
    'transaction.expired': text('Transaction expired', 'Transacción caducada'),
    'transaction.failed': text('Transaction failed', 'Transacción fallida'),
    'customer.status_changed': text(
      'Customer’s identity check changed',
      'Cambió la verificación de un cliente',
    ),
    'rail.deposit_taken_back': text('Bank took a deposit back', 'El banco retiró un depósito'),
    'rail.payment_sent_back': text('Bank sent a payout back', 'El banco devolvió un pago'),
    'rail.return_failed': text('Refund over the rail failed', 'Falló un reembolso por el medio de pago'),
    'treasury.asset_low': text('Payment waits for the asset', 'Un pago espera el activo'),
    'treasury.xlm_low': text('Payment waits for XLM', 'Un pago espera XLM'),
    'treasury.balance_reclaimed': text('Unclaimed balance reclaimed', 'Saldo no reclamado recuperado'),
    'ledger.history_gap': text('Ledger history is missing', 'Falta historial de la red'),
    'ledger.network_reset': text('Test network was reset', 'La red de pruebas se reinició'),
    'ledger.unreadable_payment': text('Payment could not be read', 'No se pudo leer un pago'),
    'ledger.unproven_payment': text('Payment could not be proven', 'No se pudo demostrar un pago'),
    'ledger.unrecorded_payment': text('Payment is not in the journal', 'Un pago no está en el diario'),
    'ledger.held_receipt': text('Receipt is held', 'Un ingreso está retenido'),
    'ledger.other_chain': text('Horizon contradicts itself', 'Horizon se contradice'),
  } satisfies Record<WebhookEvent, string>,
  url: {
    label: text('URL', 'URL'),
    hint: text('An https address of your server.', 'Una dirección https de su servidor.'),
    invalid: text(
      'Enter an address such as https://example.com/hook.',
      'Escriba una dirección como https://example.com/hook.',
    ),
  },
  addFailed: text('The endpoint was not added', 'El webhook no se añadió'),
  test: text('Send test', 'Enviar prueba'),
  testWhat: text(
    (url: string) => `Send test to ${url}`,
    url => `Enviar una prueba a ${url}`,
  ),
  tested: text(
    'A test event is on its way. Its delivery is listed below.',
    'Un evento de prueba está en camino. Su entrega aparece abajo.',
  ),
  remove: text('Remove', 'Quitar'),
  removeWhat: text(
    (url: string) => `Remove ${url}`,
    url => `Quitar ${url}`,
  ),
  removeTitle: text('Remove endpoint', 'Quitar el webhook'),
  removeLead: text(
    'Messages that were not delivered yet are removed too.',
    'Los mensajes que aún no se entregaron también se quitan.',
  ),
  confirmRemove: text('Remove endpoint', 'Quitar el webhook'),
  keep: text('Cancel', 'Cancelar'),
  empty: {
    title: text('No endpoints yet', 'Ningún webhook todavía'),
    detail: text(
      'Add one to receive your anchor’s events.',
      'Añada uno para recibir los eventos de su anchor.',
    ),
  },
  secret: {
    title: text('Copy the secret now', 'Copie el secreto ahora'),
    detail: text(
      'Your server needs it to verify signatures. It is displayed once.',
      'Su servidor lo necesita para verificar las firmas. Se muestra una sola vez.',
    ),
    what: text('the secret', 'el secreto'),
    done: text('Done', 'Listo'),
  },
  deliveries: {
    title: text('Deliveries', 'Entregas'),
    lead: text(
      'A message is tried again for about a day. Then it is undelivered until you replay it.',
      'Un mensaje se reintenta durante un día aproximadamente. Después queda sin entregar hasta que lo envía otra vez.',
    ),
    filter: text('Filter deliveries', 'Filtrar las entregas'),
    at: text('Time', 'Hora'),
    event: text('Event', 'Evento'),
    message: text('Message ID', 'ID del mensaje'),
    status: text('Status', 'Estado'),
    statuses: {
      waiting: text('Waiting', 'En espera'),
      delivered: text('Delivered', 'Entregado'),
      dead: text('Undelivered', 'Sin entregar'),
    },
    attempts: text(
      (count: number) => `${count} attempts`,
      count => `${count} intentos`,
    ),
    replay: text('Replay', 'Enviar otra vez'),
    replayWhat: text(
      (message: string) => `Replay ${message}`,
      message => `Enviar otra vez ${message}`,
    ),
    empty: {
      title: text('No deliveries', 'Ninguna entrega'),
      detail: text(
        'Events appear here once they are sent to an endpoint.',
        'Los eventos aparecen aquí cuando se envían a un webhook.',
      ),
    },
  },
})
