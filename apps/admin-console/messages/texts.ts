import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const messages = catalogue({
  title: text('Refused messages', 'Mensajes rechazados'),
  lead: text(
    'Messages of the platform that their recipient answers in the same way whenever they are sent. Others are not held up by them. Each is sent again every ten minutes.',
    'Mensajes de la plataforma a los que su destinatario responde igual cada vez que se envían. No retienen a otros. Cada uno se vuelve a enviar cada diez minutos.',
  ),
  remedy: {
    title: text('What to do', 'Qué hacer'),
    detail: text(
      'Repair what the answer names: upgrade the older of the two programs, or correct the anchor’s settings. Then try again.',
      'Repare lo que nombra la respuesta: actualice el más antiguo de los dos programas o corrija la configuración del anchor. Después inténtelo de nuevo.',
    ),
  },
  columns: {
    topic: text('Topic', 'Tema'),
    answer: text('Answer', 'Respuesta'),
    attempts: text('Attempts', 'Intentos'),
    since: text('Refused since', 'Rechazado desde'),
    action: text('Action', 'Acción'),
  },
  retry: text('Try again', 'Intentar de nuevo'),
  retryOf: text(
    (topic: string) => `Try again: ${topic}`,
    topic => `Intentar de nuevo: ${topic}`,
  ),
  sent: text('It is being sent again', 'Se está enviando de nuevo'),
  failed: text('Not sent again', 'No se volvió a enviar'),
  empty: {
    title: text('No refused messages', 'Ningún mensaje rechazado'),
    detail: text(
      'A message appears here after six attempts with the same answer.',
      'Un mensaje aparece aquí tras seis intentos con la misma respuesta.',
    ),
  },
})
