import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const apiRequests = catalogue({
  title: text('Requests', 'Solicitudes'),
  lead: text(
    'What your keys asked of the API in the last 7 days, at most 10,000 requests. Neither bodies nor IDs of what was asked for are kept.',
    'Lo que sus claves pidieron a la API en los últimos 7 días, como máximo 10.000 solicitudes. No se guardan ni los cuerpos ni los ID de lo pedido.',
  ),
  empty: {
    title: text('No requests yet', 'Ninguna solicitud todavía'),
    detail: text(
      'Requests appear here seconds after a key sent them.',
      'Las solicitudes aparecen aquí segundos después de que una clave las envíe.',
    ),
    filtered: text('No request failed', 'Ninguna solicitud falló'),
  },
  failed: text('Failed', 'Con error'),
  columns: {
    at: text('Time', 'Hora'),
    request: text('Request', 'Solicitud'),
    status: text('Status', 'Estado'),
    key: text('Key', 'Clave'),
    duration: text('Duration', 'Duración'),
    requestId: text('Request ID', 'ID de la solicitud'),
  },
})

export const refusedMessages = catalogue({
  title: text('Refused messages', 'Mensajes rechazados'),
  lead: text(
    'What the platform or your SEP server did not accept from your anchor. The administrators of the platform can find out why; tell them the time and the ID.',
    'Lo que la plataforma o su servidor SEP no aceptó de su anchor. Los administradores de la plataforma pueden averiguar por qué; dígales la hora y el ID.',
  ),
  topics: {
    'key-acts': text('What a key did, for the activity log', 'Lo que hizo una clave, para el registro'),
    'sep-calls': text('A status, for the wallet', 'Un estado, para la billetera'),
    movements: text('What a customer moved, for limits', 'Lo que movió un cliente, para los límites'),
  },
  columns: {
    at: text('Written', 'Escrito'),
    message: text('Message', 'Mensaje'),
    answer: text('Answer', 'Respuesta'),
    about: text('About', 'Sobre'),
    next: text('Sent again', 'Se envía de nuevo'),
  },
  transaction: text('Transaction', 'Transacción'),
  never: text('Never: later ones were sent', 'Nunca: se enviaron los siguientes'),
})
