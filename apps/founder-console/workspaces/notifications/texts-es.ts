import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const notifications: Translation<typeof english.notifications> = {
  title: 'Notificaciones',
  lead: 'Lo que debería saber de su anchor, lo más nuevo primero.',
  columns: { at: 'Desde', kind: 'Notificación', detail: 'Detalles', state: 'Estado' },
  kinds: {
    'anchor-active': 'Anchor activo',
    'payout-failed': 'Pago fallido',
    'treasury-low': 'Tesorería baja',
    'treasury-high': 'Tesorería por encima de su máximo',
    'treasury-settings-changed': 'Ajustes de tesorería cambiados',
    'xlm-low': 'XLM bajo',
    'review-waiting': 'Revisión pendiente',
    'webhook-failing': 'Webhook con fallos',
    'reconciliation-difference': 'Diferencia de conciliación',
  },
  open: 'Abierta',
  ended: when => `Terminó el ${when}`,
  empty: {
    title: 'Ninguna notificación todavía',
    detail: 'Cuando algo necesita su atención, aparece aquí.',
  },
  emails: {
    title: 'Correos',
    lead: 'Elija qué correos recibe. Los miembros de su equipo eligen por sí mismos.',
    label: 'Enviarme correos sobre',
    save: 'Guardar',
    saved: 'Guardado',
    failed: 'Su elección no se guardó',
  },
  webhooks: {
    title: 'Webhooks de notificaciones',
    lead: 'Envíe cada notificación a sus propios sistemas, firmada como indica Standard Webhooks.',
    add: 'Añadir webhook',
    url: {
      label: 'URL',
      hint: 'Una dirección https de su servidor.',
      invalid: 'Escriba una dirección como https://example.com/hook.',
    },
    missing: 'Elija al menos una notificación',
    columns: { url: 'URL', kinds: 'Notificaciones', state: 'Estado', actions: 'Acciones' },
    kinds: (count, of) => (count === of ? 'Todas' : `${count} de ${of}`),
    never: 'Nada enviado todavía',
    delivered: 'Entregado',
    failing: 'Con fallos',
    test: 'Enviar prueba',
    testWhat: url => `Enviar una prueba a ${url}`,
    remove: 'Quitar',
    removeWhat: url => `Quitar ${url}`,
    failed: 'El webhook no se añadió',
    empty: {
      title: 'Ningún webhook todavía',
      detail: 'Añada uno para recibir notificaciones en sus propios sistemas.',
    },
    secret: {
      title: 'Copie el secreto ahora',
      detail: 'Su servidor lo necesita para verificar las firmas. Se muestra una sola vez.',
      what: 'el secreto',
      done: 'Listo',
    },
  },
}
