import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const workspace: Translation<typeof english.workspace> = {
  list: {
    title: 'Espacios',
    lead: 'Cada anchor tiene su propio espacio.',
    signedInAs: email => `Sesión iniciada como ${email}`,
    empty: {
      title: 'Ningún anchor todavía',
      detail: 'Cuando se apruebe su solicitud, canjee la invitación. Su anchor aparece aquí.',
      apply: 'Solicitar un anchor',
    },
    roles: { owner: 'Propietario', admin: 'Administrador', member: 'Miembro' },
  },
  signOut: 'Cerrar sesión',
  status: {
    draft: 'Borrador',
    provisioning: 'En instalación',
    active: 'Activo',
    suspended: 'Suspendido',
    removed: 'Eliminado',
    error: 'Fallido',
  },
  tabs: {
    overview: 'Resumen',
    anchor: 'Anchor',
    transactions: 'Transacciones',
    customers: 'Clientes',
    settings: 'Ajustes',
    treasury: 'Tesorería',
    compliance: 'Cumplimiento',
    bank: 'Archivos bancarios',
    reconciliation: 'Conciliación',
    ledger: 'Red',
    routing: 'Rutas',
    keys: 'Claves de API',
    webhooks: 'Webhooks',
    developers: 'Desarrollo',
    team: 'Equipo',
    notifications: 'Notificaciones',
    activity: 'Actividad',
  },
  groups: { business: 'Negocio', anchor: 'Anchor', developers: 'Desarrollo' },
  navigation: 'Espacio',
  all: 'Todos los espacios',
  palette: { page: 'Página', anchor: 'Anchor' },
  notFound: 'Ninguna de sus organizaciones tiene un anchor con este ID.',
}
