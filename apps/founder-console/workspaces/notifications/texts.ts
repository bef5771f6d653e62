import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const notifications = catalogue({
  title: text('Notifications', 'Notificaciones'),
  lead: text(
    'What you should know about your anchor, newest first.',
    'Lo que debería saber de su anchor, lo más nuevo primero.',
  ),
  columns: {
    at: text('Since', 'Desde'),
    kind: text('Notification', 'Notificación'),
    detail: text('Details', 'Detalles'),
    state: text('Status', 'Estado'),
  },
  kinds: {
    'anchor-active': text('Anchor active', 'Anchor activo'),
    'payout-failed': text('Payout failed', 'Pago fallido'),
    'treasury-low': text('Treasury low', 'Tesorería baja'),
    'treasury-high': text('Treasury above its ceiling', 'Tesorería por encima de su máximo'),
    'second-person-waits': text('Second person needed', 'Falta una segunda persona'),
    'compliance-second-person-waits': text(
      'Second person needed in compliance',
      'Falta una segunda persona en cumplimiento',
    ),
    'treasury-settings-changed': text('Treasury settings changed', 'Ajustes de tesorería cambiados'),
    'xlm-low': text('XLM low', 'XLM bajo'),
    'review-waiting': text('Review waiting', 'Revisión pendiente'),
    'compliance-waiting': text('Compliance waiting', 'Cumplimiento pendiente'),
    'webhook-failing': text('Webhook failing', 'Webhook con fallos'),
    'reconciliation-difference': text('Reconciliation difference', 'Diferencia de conciliación'),
    'safeguarding-shortfall': text('Shortfall of customers’ money', 'Falta dinero de clientes'),
  },
  open: text('Open', 'Abierta'),
  openPage: text(
    (page: string) => `Open ${page}`,
    page => `Abrir ${page}`,
  ),
  openTransaction: text('Open the transaction', 'Abrir la transacción'),
  ended: text(
    (when: string) => `Ended ${when}`,
    when => `Terminó el ${when}`,
  ),
  empty: {
    title: text('No notifications yet', 'Ninguna notificación todavía'),
    detail: text(
      'When something needs your attention, it appears here.',
      'Cuando algo necesita su atención, aparece aquí.',
    ),
  },
  emails: {
    title: text('Emails', 'Correos'),
    lead: text(
      'Choose which emails you get. Your team members choose for themselves.',
      'Elija qué correos recibe. Los miembros de su equipo eligen por sí mismos.',
    ),
    label: text('Email me about', 'Enviarme correos sobre'),
    save: text('Save', 'Guardar'),
    saved: text('Saved', 'Guardado'),
    failed: text('Your choice was not saved', 'Su elección no se guardó'),
  },
  webhooks: {
    title: text('Notification webhooks', 'Webhooks de notificaciones'),
    lead: text(
      'Send each notification to a channel of Slack, or to your own systems, signed as Standard Webhooks specifies.',
      'Envíe cada notificación a un canal de Slack o a sus propios sistemas, firmada como indica Standard Webhooks.',
    ),
    add: text('Add webhook', 'Añadir webhook'),
    url: {
      label: text('URL', 'URL'),
      hint: text('An https address of your server.', 'Una dirección https de su servidor.'),
      invalid: text(
        'Enter an address such as https://example.com/hook.',
        'Escriba una dirección como https://example.com/hook.',
      ),
    },
    format: {
      label: text('What is sent', 'Qué se envía'),
      standard: text('Signed events, for programs', 'Eventos firmados, para programas'),
      slack: text('Messages for Slack, Mattermost or Discord', 'Mensajes para Slack, Mattermost o Discord'),
      hint: text(
        'For messages, paste the address of the channel’s incoming webhook. It is not displayed again.',
        'Para mensajes, pegue la dirección del webhook entrante del canal. No se vuelve a mostrar.',
      ),
    },
    missing: text('Choose at least one notification', 'Elija al menos una notificación'),
    columns: {
      url: text('URL', 'URL'),
      kinds: text('Notifications', 'Notificaciones'),
      state: text('Status', 'Estado'),
      actions: text('Actions', 'Acciones'),
    },
    kinds: text(
      (count: number, of: number) => (count === of ? 'All' : `${count} of ${of}`),
      (count, of) => (count === of ? 'Todas' : `${count} de ${of}`),
    ),
    never: text('Nothing sent yet', 'Nada enviado todavía'),
    delivered: text('Delivered', 'Entregado'),
    failing: text('Failing', 'Con fallos'),
    test: text('Send test', 'Enviar prueba'),
    testWhat: text(
      (url: string) => `Send test to ${url}`,
      url => `Enviar una prueba a ${url}`,
    ),
    remove: text('Remove', 'Quitar'),
    removeWhat: text(
      (url: string) => `Remove ${url}`,
      url => `Quitar ${url}`,
    ),
    failed: text('The webhook was not added', 'El webhook no se añadió'),
    empty: {
      title: text('No webhooks yet', 'Ningún webhook todavía'),
      detail: text(
        'Add one to receive notifications in your own systems.',
        'Añada uno para recibir notificaciones en sus propios sistemas.',
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
  },
})
