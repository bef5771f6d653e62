import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const shell: Translation<typeof english.shell> = {
  product: 'Administración de Windlass',
  suffix: 'admin',
  home: 'Inicio',
  applications: 'Solicitudes',
  jobs: 'Trabajos',
  fleet: 'Flota',
  routing: 'Explicador de rutas',
  policy: 'Política de rutas',
  emails: 'Correos',
  audit: 'Registro de auditoría',
  administrators: 'Administradores',
  account: 'Cuenta',
  signedInAs: 'Sesión iniciada como',
  signOut: 'Cerrar sesión',
  palette: {
    page: 'Página',
    application: 'Solicitud',
    anchor: 'Anchor',
    job: 'Trabajo',
    operator: 'Operador',
    customer: 'Cliente',
  },
}
