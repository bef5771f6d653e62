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
