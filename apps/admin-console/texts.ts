import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const shell = catalogue({
  product: text('Windlass admin', 'Administración de Windlass'),
  suffix: text('admin', 'admin'),
  home: text('Home', 'Inicio'),
  applications: text('Applications', 'Solicitudes'),
  jobs: text('Jobs', 'Trabajos'),
  fleet: text('Fleet', 'Flota'),
  routing: text('Route explainer', 'Explicador de rutas'),
  policy: text('Routing policy', 'Política de rutas'),
  emails: text('Emails', 'Correos'),
  messages: text('Refused messages', 'Mensajes rechazados'),
  audit: text('Audit log', 'Registro de auditoría'),
  administrators: text('Administrators', 'Administradores'),
  account: text('Account', 'Cuenta'),
  signedInAs: text('Signed in as', 'Sesión iniciada como'),
  signOut: text('Sign out', 'Cerrar sesión'),
  palette: {
    page: text('Page', 'Página'),
    application: text('Application', 'Solicitud'),
    anchor: text('Anchor', 'Anchor'),
    job: text('Job', 'Trabajo'),
    operator: text('Operator', 'Operador'),
    customer: text('Customer', 'Cliente'),
  },
})
