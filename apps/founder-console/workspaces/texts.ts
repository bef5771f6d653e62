import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const workspace = catalogue({
  list: {
    title: text('Workspaces', 'Espacios'),
    lead: text('Each anchor has its own workspace.', 'Cada anchor tiene su propio espacio.'),
    signedInAs: text(
      (email: string) => `Signed in as ${email}`,
      email => `Sesión iniciada como ${email}`,
    ),
    empty: {
      title: text('No anchors yet', 'Ningún anchor todavía'),
      detail: text(
        'After your application is approved, redeem the invitation. Your anchor appears here.',
        'Cuando se apruebe su solicitud, canjee la invitación. Su anchor aparece aquí.',
      ),
      apply: text('Apply for an anchor', 'Solicitar un anchor'),
    },
    roles: {
      owner: text('Owner', 'Propietario'),
      admin: text('Admin', 'Administrador'),
      member: text('Member', 'Miembro'),
    },
  },
  signOut: text('Sign out', 'Cerrar sesión'),
  status: {
    draft: text('Draft', 'Borrador'),
    provisioning: text('Provisioning', 'En instalación'),
    active: text('Active', 'Activo'),
    suspended: text('Suspended', 'Suspendido'),
    removed: text('Removed', 'Eliminado'),
    error: text('Failed', 'Fallido'),
  } satisfies Record<AnchorStatus, string>,
  tabs: {
    overview: text('Overview', 'Resumen'),
    anchor: text('Anchor', 'Anchor'),
    transactions: text('Transactions', 'Transacciones'),
    customers: text('Customers', 'Clientes'),
    settings: text('Settings', 'Ajustes'),
    treasury: text('Treasury', 'Tesorería'),
    compliance: text('Compliance', 'Cumplimiento'),
    bank: text('Bank files', 'Archivos bancarios'),
    reconciliation: text('Reconciliation', 'Conciliación'),
    ledger: text('Ledger', 'Red'),
    routing: text('Routing', 'Rutas'),
    keys: text('API keys', 'Claves de API'),
    webhooks: text('Webhooks', 'Webhooks'),
    developers: text('Developers', 'Desarrollo'),
    team: text('Team', 'Equipo'),
    notifications: text('Notifications', 'Notificaciones'),
    activity: text('Activity', 'Actividad'),
  },
  groups: {
    business: text('Business', 'Negocio'),
    anchor: text('Anchor', 'Anchor'),
    developers: text('Developers', 'Desarrollo'),
  },
  navigation: text('Workspace', 'Espacio'),
  all: text('All workspaces', 'Todos los espacios'),
  palette: { page: text('Page', 'Página'), anchor: text('Anchor', 'Anchor') },
  notFound: text(
    'None of your organizations has an anchor with this ID.',
    'Ninguna de sus organizaciones tiene un anchor con este ID.',
  ),
})
